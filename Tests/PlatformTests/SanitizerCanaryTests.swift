import Foundation
import Platform
import Testing

/// Mistakes made on purpose: a sanitizer that lets them pass is switched off. Run by mount-scripts/test alone, which
/// expects each to fail with the sanitizer's report.
@Suite struct SanitizerCanaryTests {
    static let canary = ProcessInfo.processInfo.environment["CAMERAROLL_CANARY"]

    @Test(.enabled(if: canary == "race", "made by mount-scripts/test for the thread sanitizer"))
    func dataRace() throws {
        let word = UncheckedWord()
        // Often: of two accesses that lie far apart the sanitizer may have forgotten the first.
        for _ in 0..<200 {
            let thread = try Platform.Thread(name: "canary") { for _ in 0..<1000 { word.value.pointee &+= 1 } }
            for _ in 0..<1000 { word.value.pointee &+= 1 }
            thread.join()
        }
        #expect(word.value.pointee > 0)
    }

    @Test(.enabled(if: canary == "overflow", "made by mount-scripts/test for the address sanitizer"))
    func heapOverflow() {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 16)
        bytes.initialize(repeating: 1, count: 16)
        let past = Int.random(in: 16...17)
        #expect(bytes[past] < 255 || bytes[past] == 255)
        bytes.deallocate()
    }

    private final class UncheckedWord: @unchecked Sendable {
        // Sendable: it is not, which is the point.
        let value = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        init() { value.initialize(to: 0) }
    }
}
