import PhotoLibrary
import Testing

@testable import cameraroll

@Suite struct MountRequestTests {
    private func request(_ lists: String...) throws(CommandFailure) -> MountRequest {
        var request = MountRequest(library: "/l", mountPoint: "/m")
        for list in lists { try request.apply(optionList: list) }
        return request
    }

    @Test func everyOption() throws {
        let request = try request(
            "ro,allow_other,relaxed,passthrough=off,prompt_timeout=5", "authorize=add-only,noatime")
        #expect(request.isReadOnly)
        #expect(request.allowsOthers)
        #expect(request.isRelaxed)
        #expect(request.passthrough == .off)
        #expect(request.promptTimeout == 5)
        #expect(request.authorization == .addOnly)
        #expect(request.flags == ["noatime"])
    }

    @Test func laterWordsOverrule() throws {
        #expect(try !request("ro", "rw").isReadOnly)
        #expect(try request("rw,ro").isReadOnly)
    }

    /// What fstab(5) lines hold for others.
    @Test func foreignWords() throws {
        let request = try request("defaults,noauto,user,user=ann,nofail,_netdev,x-systemd.automount,x-gvfs-show,,")
        #expect(request == MountRequest(library: "/l", mountPoint: "/m"))
    }

    @Test(arguments: [
        "frobnicate", "ro=1", "passthrough", "passthrough=maybe", "prompt_timeout=-1", "prompt_timeout=99999",
        "authorize=all", "authorize", "fsname=x", "subtype=x", "fd=3", "default_permissions=0", "noatime=1",
        "allow_other ",
    ])
    func mistakesNameTheWord(word: String) {
        #expect {
            try request("ro," + word)
        } throws: { error in
            guard let failure = error as? CommandFailure else { return false }
            return failure.code == .usage && failure.message.contains(word.prefix { $0 != "=" })
        }
    }

    /// The process in the background gets the same request.
    @Test func survivesTheWayToTheOtherProcess() throws {
        for list in [
            "", "ro,allow_other,relaxed", "passthrough=off,prompt_timeout=0,authorize=read-write,nodev,noexec",
        ] {
            let first = try request(list)
            #expect(try request(first.optionList) == first)
        }
    }

    /// The user's latest word leaves no more open than it says.
    @Test func answersOfTheMountingUser() {
        #expect(MountAuthorization.statuses(for: .readWrite) == [.readWrite: .authorized, .addOnly: .authorized])
        #expect(MountAuthorization.statuses(for: .addOnly) == [.readWrite: .denied, .addOnly: .authorized])
    }
}
