import FUSE
import Platform
import Testing

/// Files on a real mount, driven by real programs. Skipped aloud where nothing can be mounted.
@Suite(.enabled(if: canMount), .serialized)
struct MountedFileTests {
    @Test func writesAndReadsBack() throws {
        try withMount { mount in
            let output = try mount.shell("echo hello > a && cat a && stat -c %s a")
            #expect(output.text == "hello\n6")
            #expect(output.status == 0)
        }
    }
}
