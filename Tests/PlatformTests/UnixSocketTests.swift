import Glibc
import Platform
import Support
import Testing

@Suite struct UnixSocketTests {
    private func failure<Result>(_ body: () throws(Errno) -> Result) -> Errno? {
        do throws(Errno) {
            _ = try body()
            return nil
        } catch { return error }
    }

    private func waitForReading(_ socket: UnixSocket) throws {
        var entries = [Poll.Entry(socket.descriptor, .reading)]
        try #require(try Poll.wait(&entries, timeout: 5_000_000_000))
    }

    /// A path far beyond the 108 bytes of an address; the umask of a mount process lets everything through.
    @Test func longPath() throws {
        try withTemporaryPlace { place in
            var path = place.path
            for _ in 0..<3 {
                path += "/" + String(repeating: "d", count: 200)
                try Files.makeDirectory(path)
            }
            let directory = try Directory(path)
            let listener = try UnixSocket.listen("s", in: directory)
            let status = try Files.existing(path + "/s")
            #expect(status.kind == .socket)
            #expect(status.mode & 0o777 == 0o600)
            #expect(try listener.accept() == nil)

            let client = try UnixSocket.connect("s", in: directory)
            let server = try #require(try listener.accept())
            let peer = try server.peer()
            #expect((peer.pid, peer.uid, peer.gid) == (getpid(), getuid(), getgid()))
            #expect(try client.peer().uid == getuid())
            #expect(try server.receive(10) == nil)
            #expect(try client.send([1, 2, 3]) == 3)
            try waitForReading(server)
            #expect(try server.receive(2) == [1, 2])
            #expect(try server.receive(10) == [3])
            #expect(try server.receive(10) == nil)
        }
    }

    @Test func staleAndForeignFiles() throws {
        try withTemporaryPlace { place in
            let directory = try Directory(place.path)
            #expect(failure { () throws(Errno) in try UnixSocket.connect("s", in: directory) } == .noEntry)
            do { _ = try UnixSocket.listen("s", in: directory) }
            #expect(Files.exists(place("s")))
            #expect(failure { () throws(Errno) in try UnixSocket.connect("s", in: directory) } == .connectionRefused)
            let again = try UnixSocket.listen("s", in: directory)
            _ = try UnixSocket.connect("s", in: directory)
            #expect(try again.accept() != nil)
            try Files.write([1], to: place("file"))
            #expect(failure { () throws(Errno) in try UnixSocket.listen("file", in: directory) } == .exists)
            #expect(try Files.read(place("file")) == [1])
            let long = String(repeating: "n", count: 150)
            #expect(failure { () throws(Errno) in try UnixSocket.listen(long, in: directory) } == .nameTooLong)
        }
    }

    @Test func slowReaderAndClosedEnd() throws {
        let (left, right) = try UnixSocket.pair()
        let big = [UInt8](repeating: 7, count: 4 << 20)
        let start = Clock.monotonic()
        #expect(failure { () throws(Errno) in try left.sendFully(big, timeout: 100_000_000) } == .timedOut)
        #expect(Clock.monotonic() - start < 60_000_000_000)
        #expect(try left.send([1]) == 0)
        var received = 0
        while let part = try right.receive(1 << 16), !part.isEmpty { received += part.count }
        #expect(received > 0)
        do {
            let (one, other) = try UnixSocket.pair()
            _ = try other.send([9])
            _ = consume other
            #expect(try one.receive(8) == [9])
            #expect(try one.receive(8) == [])
            #expect(failure { () throws(Errno) in try one.send([1]) } == .brokenPipe)
        }
    }

    @Test func wakeUp() throws {
        let wakeUp = try WakeUp()
        var entries = [Poll.Entry(wakeUp.descriptor, .reading)]
        let start = Clock.monotonic()
        #expect(try Poll.wait(&entries, timeout: 20_000_000) == false)
        #expect(Clock.monotonic() - start >= 20_000_000)
        let thread = try Thread(name: "waker") {
            Clock.sleep(20_000_000)
            wakeUp.signal()
            wakeUp.signal()
        }
        #expect(try Poll.wait(&entries, timeout: nil))
        #expect(entries[0].isReadable)
        thread.join()
        wakeUp.clear()
        #expect(try Poll.wait(&entries, timeout: 0) == false)
        #expect(!entries[0].isReadable)
    }
}
