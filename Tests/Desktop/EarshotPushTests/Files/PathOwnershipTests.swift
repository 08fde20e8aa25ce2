import EarshotPush
import Foundation
import Glibc
import MessagesTestSupport
import Testing

@Suite struct PathOwnershipTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("x", to: "folder/file")
        chmod("\(scratch.path)/folder/file", 0o644)
    }

    @Test func ownFilesAreFine() {
        #expect(PathOwnership.flaw(of: "\(scratch.path)/folder/file") == nil)
        #expect(PathOwnership.flaw(of: "/bin/sh") == nil, "root's")
    }

    @Test func aFileOrFolderThatOthersWriteIsNot() {
        chmod("\(scratch.path)/folder/file", 0o664)
        #expect(PathOwnership.flaw(of: "\(scratch.path)/folder/file") == "can be changed by others (mode 664)")
        chmod("\(scratch.path)/folder/file", 0o644)
        chmod("\(scratch.path)/folder", 0o757)
        #expect(PathOwnership.flaw(of: "\(scratch.path)/folder/file")?.contains("is in ") == true)
        // As /tmp: each user changes only files of their own.
        chmod("\(scratch.path)/folder", 0o1777)
        #expect(PathOwnership.flaw(of: "\(scratch.path)/folder/file") == nil)
        #expect(PathOwnership.flaw(of: "\(scratch.path)/folder") != nil, "not as the place itself")
    }

    @Test func aLinkIsFollowed() throws {
        chmod("\(scratch.path)/folder", 0o757)
        try FileManager.default.createSymbolicLink(
            atPath: "\(scratch.path)/link", withDestinationPath: "\(scratch.path)/folder/file")
        #expect(PathOwnership.flaw(of: "\(scratch.path)/link") != nil)
        #expect(PathOwnership.flaw(of: "\(scratch.path)/none")?.contains("no such file") == true)
    }

    @Test func anotherUserIsNot() {
        #expect(
            PathOwnership.flaw(of: "\(scratch.path)/folder/file", user: getuid() + 1)
                == (getuid() == 0 ? nil : "belongs to user \(getuid())"))
    }
}
