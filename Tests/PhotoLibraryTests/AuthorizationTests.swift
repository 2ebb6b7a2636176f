import Glibc
import PhotoLibrary
import Platform
import Support
import Testing

@Suite struct AuthorizationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var readWrite: AuthorizationStatus?
        var addOnly: AuthorizationStatus?
        var visibility: Access.Visibility
        var canAdd: Bool
        var refusal: Errno
        var testDescription: String { "read-write \(readWrite?.name ?? "-"), add-only \(addOnly?.name ?? "-")" }
    }

    /// Every pair of records.
    static let table: [Case] = {
        let statuses: [AuthorizationStatus?] = [nil] + AuthorizationStatus.allCases.map { $0 }
        return statuses.flatMap { readWrite in
            statuses.map { addOnly in
                let adds = addOnly == .authorized || addOnly == .limited
                let restricted = readWrite == .restricted || addOnly == .restricted
                switch readWrite {
                case .authorized:
                    return Case(
                        readWrite: readWrite, addOnly: addOnly, visibility: .everything, canAdd: true,
                        refusal: .accessDenied)
                case .limited:
                    return Case(
                        readWrite: readWrite, addOnly: addOnly, visibility: .limited, canAdd: true,
                        refusal: .accessDenied)
                default:
                    return Case(
                        readWrite: readWrite, addOnly: addOnly, visibility: adds ? .ownRecent : .nothing, canAdd: adds,
                        refusal: restricted ? .notPermitted : .accessDenied)
                }
            }
        }
    }()

    @Test func everyPairOfRecordsForUserAndProgram() throws {
        try withLibrary { library in
            let gate = library.library.authorization
            let program = try #require(RunningProcess.program(of: getpid()))
            for client in [Client.user(7), .program(path: program, user: 7)] {
                for expected in Self.table {
                    try gate.reset(client)
                    if let status = expected.readWrite { try gate.set(status, of: client, level: .readWrite) }
                    if let status = expected.addOnly { try gate.set(status, of: client, level: .addOnly) }
                    let access = gate.access(uid: 7, pid: getpid())
                    #expect(access.visibility == expected.visibility, "\(client): \(expected)")
                    #expect(access.canAdd == expected.canAdd, "\(client): \(expected)")
                    #expect(access.refusal == expected.refusal, "\(client): \(expected)")
                    #expect(gate.seesEverything(uid: 7) == (expected.readWrite == .authorized && client == .user(7)))
                    // Nobody else gets anything.
                    #expect(gate.access(uid: 8, pid: getpid()).visibility == .nothing)
                }
                try gate.reset(client)
            }
        }
    }

    @Test func theProgramsRecordBeatsTheUsers() throws {
        try withLibrary { library in
            let gate = library.library.authorization
            let path = try #require(RunningProcess.program(of: getpid()))
            let program = Client.program(path: path, user: 7)
            try gate.set(.authorized, of: .user(7), level: .readWrite)
            try gate.set(.denied, of: program, level: .readWrite)
            #expect(gate.access(uid: 7, pid: getpid()).visibility == .nothing)
            #expect(gate.access(uid: 7, pid: getpid()).client == program.description)
            // A process of another program; and one that is gone, which may be any.
            #expect(gate.access(uid: 7, pid: getppid()).visibility == .everything)
            #expect(gate.access(uid: 7, pid: Int32.max).visibility == .nothing)
            #expect(!gate.seesEverything(uid: 7))
            // The level of which the program has no record is the user's.
            try gate.set(.authorized, of: .user(7), level: .addOnly)
            #expect(gate.access(uid: 7, pid: getpid()).visibility == .ownRecent)
            try gate.reset(program)
            #expect(gate.access(uid: 7, pid: getpid()).visibility == .everything)
            #expect(gate.seesEverything(uid: 7))
            try gate.reset(.user(7))
            #expect(gate.access(uid: 7, pid: getpid()).visibility == .nothing)
            #expect(try gate.records().isEmpty)
        }
    }

    @Test func aSecondProcessSeesAChangeAtOnce() throws {
        try withLibrary { library in
            let other = try Library(path: library.path)
            defer { other.close() }
            for _ in 0..<20 {
                try library.library.authorization.set(.authorized, of: .user(7), level: .readWrite)
                #expect(other.authorization.access(uid: 7, pid: 1).visibility == .everything)
                try other.authorization.set(.denied, of: .user(7), level: .readWrite)
                #expect(library.library.authorization.access(uid: 7, pid: 1).visibility == .nothing)
            }
            let records = try other.authorization.records()
            #expect(records.map(\.status) == [.denied])
        }
    }

    @Test func answersAreNeverStaleWhileTheyChange() throws {
        try withLibrary { library in
            let gate = library.library.authorization
            let wrong = Lock(0)
            let isDone = Lock(false)
            let asking = try (0..<3).map { _ in
                try Platform.Thread(name: "asking") {
                    while !isDone.withLock({ $0 }) {
                        if gate.access(uid: 9, pid: 1).visibility != .nothing { wrong.withLock { $0 += 1 } }
                        _ = gate.access(uid: 7, pid: 1)
                    }
                }
            }
            for round in 0..<200 {
                let allowed = round.isMultiple(of: 2)
                try gate.set(allowed ? .authorized : .denied, of: .user(7), level: .readWrite)
                #expect(gate.access(uid: 7, pid: 1).visibility == (allowed ? .everything : .nothing))
            }
            isDone.withLock { $0 = true }
            for thread in asking { thread.join() }
            #expect(wrong.withLock { $0 } == 0)
        }
    }

    @Test func recordsLast() throws {
        try withLibrary { library in
            try library.library.authorization.set(.limited, of: .user(7), level: .readWrite)
            try library.reopen()
            #expect(library.library.authorization.access(uid: 7, pid: 1).visibility == .limited)
        }
    }

    @Test func aCatalogueThatCannotBeReadDenies() throws {
        try withTemporaryPlace { place in
            let library = try TestLibrary(at: place("library"))
            defer { library.close() }
            let gate = library.library.authorization
            try gate.set(.authorized, of: .user(7), level: .readWrite)
            let other = try Library(path: library.path)
            defer { other.close() }
            try library.sql("ALTER TABLE authorization RENAME TO elsewhere")
            #expect(other.authorization.access(uid: 7, pid: 1).visibility == .nothing)
            #expect(!other.authorization.access(uid: 7, pid: 1).canAdd)
            #expect(!other.authorization.seesEverything(uid: 7))
            // Once it can be read again, the records hold again.
            try library.sql("ALTER TABLE elsewhere RENAME TO authorization")
            #expect(other.authorization.access(uid: 7, pid: 1).visibility == .everything)
        }
    }

    @Test func selectionsOfLimitedClients() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Picture.jpeg(1))
            let asset = try #require(node.asset)
            let gate = library.library.authorization
            func isChosen(_ client: String) throws -> Bool {
                try library.library.tie(of: node, to: client).isChosen
            }
            #expect(try !isChosen("user:7"))
            try gate.limit(.user(7), to: [asset, 999_999])
            #expect(gate.access(uid: 7, pid: 1).visibility == .limited)
            #expect(try gate.selectionCount(of: .user(7)) == 1)
            #expect(try isChosen("user:7") && !isChosen("user:8"))
            #expect(try !library.library.tie(of: node, to: "user:7").isOwn)
            // The asset goes: so does its place in the selection.
            try library.unlink("DCIM/a.jpg")
            try library.library.purge(node.id)
            #expect(try library.sql("SELECT count(*) FROM authorization_selection") == ["0"])
        }
    }

    @Test(arguments: [
        ("user:0", true), ("user:4294967295", true), ("program:/usr/bin/rsync@1000", true), ("program:/a@b@5", true),
        ("user:", false), ("user:-1", false), ("user:4294967296", false), ("program:rsync@1", false),
        ("program:/usr/bin/rsync", false), ("program:/x@", false), ("", false), ("everyone", false),
    ])
    func clientsAsText(text: String, isValid: Bool) {
        #expect(Client(text)?.description == (isValid ? text : nil))
    }
}
