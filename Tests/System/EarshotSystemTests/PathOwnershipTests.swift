import EarshotSystem
import Foundation
import Glibc
import TestSupport
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
        // As in /tmp: users can change only their own files.
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

    /// A user who may write to the folder of a link can point the link elsewhere.
    @Test func aLinkInAFolderThatOthersWriteIsNot() throws {
        mkdir("\(scratch.path)/shared", 0o755)
        try FileManager.default.createSymbolicLink(
            atPath: "\(scratch.path)/shared/link", withDestinationPath: "../folder/./file")
        let link = "\(scratch.path)/shared/link"
        #expect(PathOwnership.flaw(of: link) == nil)
        chmod("\(scratch.path)/shared", 0o775)
        #expect(
            PathOwnership.flaw(of: link)
                == "is in \(scratch.path)/shared, which can be changed by others (mode 775)")
        chmod("\(scratch.path)/shared", 0o755)
        try FileManager.default.createSymbolicLink(
            atPath: "\(scratch.path)/circle", withDestinationPath: "\(scratch.path)/circle")
        #expect(PathOwnership.flaw(of: "\(scratch.path)/circle")?.contains("symbolic links") == true)
        guard getuid() == 0 else { return }
        lchown(link, 65_534, 65_534)
        #expect(PathOwnership.flaw(of: link) == "goes through the link \(link) of user 65534")
    }

    @Test func everyPlaceOfTheWayIsLookedAt() throws {
        try FileManager.default.createSymbolicLink(
            atPath: "\(scratch.path)/link", withDestinationPath: "folder")
        var places: [String] = []
        var incompleteCount = 0
        let flaw = PathOwnership.flaw(of: "\(scratch.path)/link/none") { place in
            places.append(
                (try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/\(place.descriptor)")) ?? "")
            if place.isIncomplete { incompleteCount += 1 }
        }
        #expect(flaw == "cannot be read: no such file or directory")
        let real = try #require(realpath(scratch.path, nil).map { String(cString: $0) })
        #expect(places.first == "/" && incompleteCount == 1)
        #expect(places.suffix(4) == [real, "\(real)/link", "\(real)/folder", "\(real)/folder"])
    }

    @Test func anotherUserIsNot() {
        #expect(
            PathOwnership.flaw(of: "\(scratch.path)/folder/file", user: getuid() + 1)
                == (getuid() == 0 ? nil : "belongs to user \(getuid())"))
    }
}
