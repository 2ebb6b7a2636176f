internal import FUSE
internal import PhotoLibrary
internal import Platform

/// Asking the user about a client that nobody has decided about.
extension Gate {
    /// What a client may do, after the user was asked where nobody has said whether it may read.
    ///
    /// To be called where the caller holds none of the kernel's locks on a directory: at the look-up of what lies at
    /// the root, and when something is opened.
    /// - Throws: `EINTR` where a signal ended the wait.
    func askedAccess(
        of caller: Caller, _ operation: StaticString, _ path: @autoclosure () -> String
    ) throws(Errno) -> Access {
        let access = access(of: caller)
        guard access.asks(for: .readWrite) else { return access }
        return try ask(access, caller, .readWrite, operation, path())
    }

    /// The same at the root, where those come round who want to add something.
    func askedAccess(atRootFor caller: Caller, _ name: FileName) throws(Errno) -> Access {
        let access = access(of: caller)
        let isRound = patience.comesRound(caller)
        if access.asks(for: .readWrite) { return try ask(access, caller, .readWrite, "lookup", name.description) }
        guard isRound, access.asks(for: .addOnly) else { return access }
        return try ask(access, caller, .addOnly, "create", name.description)
    }

    /// Whether a client that sees nothing would be asked for if it wanted to add something: to it no name exists, rather
    /// than that it is refused all of them.
    func isToBeAskedAboutAdding(_ access: Access, _ caller: Caller) -> Bool {
        guard access.visibility == .nothing, access.asks(for: .addOnly), !access.asks(for: .readWrite),
            let questions, questions.hasListeners, promptTimeout > 0
        else { return false }
        return patience.waits(caller)
    }

    /// Lets a client add to the library.
    ///
    /// - Throws: `ESTALE` where the user is to be asked first: the kernel comes again by way of the root.
    func requireAdding(
        _ access: Access, _ caller: Caller, _ operation: StaticString, _ path: @autoclosure () -> String
    ) throws(Errno) {
        if access.canAdd { return }
        if access.asks(for: .addOnly) {
            let wish = wish(access, caller, .addOnly, operation, path())
            if isToBeAsked(caller) {
                if patience.sendRound(caller) { throw .stale }
                // It came by a directory that it has open. The question is put, and the next attempt finds the answer.
                questions?.raise(wish, timeout: promptTimeout)
            }
            note(wish)
        }
        refuse(access, .addOnly, operation, path())
        throw access.refusal
    }

    /// Whether the user would be asked where a client adds something that sees nothing, and has been denied that.
    func mayAskToAdd(_ access: Access, _ caller: Caller) -> Bool {
        access.visibility == .nothing && access.asks(for: .addOnly) && !access.asks(for: .readWrite)
            && isToBeAsked(caller)
    }

    private func isToBeAsked(_ caller: Caller) -> Bool {
        guard let questions, promptTimeout > 0 else { return false }
        return questions.hasListeners && patience.waits(caller)
    }

    private func ask(
        _ access: Access, _ caller: Caller, _ level: AccessLevel, _ operation: StaticString, _ path: String
    ) throws(Errno) -> Access {
        let wish = wish(access, caller, level, operation, path)
        guard let questions, promptTimeout > 0, patience.waits(caller) else {
            note(wish)
            return access
        }
        // An answer for one program leaves the others of its user where they were: they are asked about in turn.
        for _ in 0..<8 {
            switch questions.ask(wish, timeout: promptTimeout, isInterrupted: { caller.isInterrupted }) {
            case .outcome(.answered):
                let answered = self.access(of: caller)
                if !answered.asks(for: level) { return answered }
            case .outcome:
                patience.exhaust(caller)
                note(wish)
                return access
            case .noListener:
                note(wish)
                return access
            case .interrupted:
                note(wish)
                throw .interrupted
            }
        }
        note(wish)
        return access
    }

    private func wish(
        _ access: Access, _ caller: Caller, _ level: AccessLevel, _ operation: StaticString, _ path: String
    ) -> QuestionBoard.Wish {
        QuestionBoard.Wish(
            uid: caller.uid, pid: caller.pid, program: RunningProcess.program(of: caller.pid), level: level,
            operation: operation.description, path: path)
    }

    /// Keeps a wish that nobody answered, for `cameraroll authorization pending`.
    private func note(_ wish: QuestionBoard.Wish) {
        guard !library.options.isReadOnly, patience.isNews(wish) else { return }
        do throws(Errno) { try library.authorization.note(wish) } catch {
            // The refusal that follows is in the log in any case.
        }
    }
}
