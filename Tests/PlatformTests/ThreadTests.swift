import Glibc
import Platform
import Support
import Testing

/// Runs `body` on `count` threads at once, and waits for them.
private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) throws {
    let threads = try (0..<count).map { number in try Platform.Thread(name: "test") { body(number) } }
    for thread in threads { thread.join() }
}

@Suite struct ThreadTests {
    @Test func lockCountsRight() throws {
        let counter = Lock(0)
        try onThreads(8) { _ in for _ in 0..<20_000 { counter.withLock { $0 += 1 } } }
        #expect(counter.withLock { $0 } == 160_000)
    }

    @Test func monitorHandsOver() throws {
        let queue = Monitor([Int]())
        let sum = Lock(0)
        let consumer = try Platform.Thread(name: "consumer") {
            for _ in 0..<4000 {
                let next = queue.wait { $0.popLast() }
                sum.withLock { $0 += next ?? -1_000_000 }
            }
        }
        try onThreads(4) { number in for index in 0..<1000 { queue.update { $0.append(number * 1000 + index) } } }
        consumer.join()
        #expect(sum.withLock { $0 } == (0..<4000).reduce(0, +))
    }

    @Test func monitorTimesOut() {
        let start = Clock.monotonic()
        let result: Bool? = Monitor(false).wait(timeout: 30_000_000) { $0 ? true : nil }
        #expect(result == nil)
        #expect(Clock.monotonic() - start >= 29_000_000)
        let immediate: Bool? = Monitor(true).wait(timeout: 0) { $0 ? true : nil }
        #expect(immediate == true)
    }

    @Test func manyReadersOneWriter() throws {
        let lock = ReadWriteLock()
        let inside = Lock((readers: 0, most: 0, writers: 0))
        let isWrong = Lock(false)
        try onThreads(6) { number in
            for _ in 0..<300 {
                if number < 4 {
                    lock.shared {
                        inside.withLock {
                            $0.readers += 1
                            $0.most = max($0.most, $0.readers)
                            if $0.writers != 0 { isWrong.withLock { $0 = true } }
                        }
                        usleep(20)
                        inside.withLock { $0.readers -= 1 }
                    }
                } else {
                    lock.exclusive {
                        inside.withLock {
                            $0.writers += 1
                            if $0.writers != 1 || $0.readers != 0 { isWrong.withLock { $0 = true } }
                        }
                        inside.withLock { $0.writers -= 1 }
                    }
                }
            }
        }
        #expect(!isWrong.withLock { $0 })
        #expect(inside.withLock { $0.most } > 1)
    }

    @Test func lockIsGivenBackAfterAnError() throws {
        let lock = Lock(0)
        let shared = ReadWriteLock()
        #expect(throws: Errno.busy) { try lock.withLock { _ throws(Errno) in throw .busy } }
        #expect(throws: Errno.busy) { try shared.exclusive { () throws(Errno) in throw .busy } }
        #expect(lock.withLock { $0 } == 0)
        shared.exclusive {}
    }

    @Test func poolRunsEveryJob() throws {
        let pool = try WorkerPool(name: "pool", threads: 3)
        let done = Lock(0)
        try onThreads(4) { number in
            let pending = (0..<200).map { index in
                pool.submit { () -> Int? in
                    done.withLock { $0 += 1 }
                    return index.isMultiple(of: 2) ? nil : number * 1000 + index
                }
            }
            for (index, job) in pending.enumerated() {
                #expect(job.wait() == (index.isMultiple(of: 2) ? nil : number * 1000 + index))
            }
        }
        let last = pool.submit { done.withLock { $0 } }
        pool.close()
        #expect(last.wait() == 800)
    }

    @Test func threadHasItsName() throws {
        let name = Lock("")
        let thread = try Platform.Thread(name: "a-name-that-is-too-long") {
            let text = (try? Files.text("/proc/thread-self/comm")) ?? ""
            name.withLock { $0 = text }
        }
        thread.join()
        #expect(name.withLock { $0 } == "a-name-that-is-\n")
    }
}

@Suite struct SharedCounterTests {
    @Test func twoMappingsAreOneCounter() throws {
        try withTemporaryPlace { place in
            let one = try SharedCounter(file: FileDescriptor.open(place("counter"), [.readWrite, .create]))
            let other = try SharedCounter(file: FileDescriptor.open(place("counter"), .readWrite))
            try onThreads(4) { number in
                for _ in 0..<5000 { (number.isMultiple(of: 2) ? one : other).increment() }
            }
            #expect(one.value == 20_000)
            #expect(other.value == 20_000)
        }
    }

    @Test func valueStaysInTheFile() throws {
        try withTemporaryPlace { place in
            do {
                let counter = try SharedCounter(file: FileDescriptor.open(place("counter"), [.readWrite, .create]))
                counter.increment()
            }
            let again = try SharedCounter(file: FileDescriptor.open(place("counter"), .readWrite))
            #expect(again.value == 1)
        }
    }
}

@Suite struct RunningProcessTests {
    @Test func namesTheProgram() throws {
        let program = try RunningProgram("sleep", ["30"])
        defer { program.kill() }
        // Until it has been exchanged for the program, the child runs this one.
        var path: String?
        for _ in 0..<500 where path?.hasSuffix("/sleep") != true {
            path = RunningProcess.program(of: program.pid)
            usleep(2000)
        }
        #expect(path?.hasSuffix("/sleep") == true)
        #expect(RunningProcess.program(of: 0) == nil)
        #expect(RunningProcess.program(of: -1) == nil)
        #expect(RunningProcess.program(of: Int32.max) == nil)
    }
}
