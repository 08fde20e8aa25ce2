import EarshotPush
import Foundation
import Glibc
import MessagesTestSupport
import TestSupport
import Testing

@Suite(.apart) struct PushConfigurationStoreTests {
    private let scratch: ScratchFolder
    private let store: PushConfigurationStore

    init() throws {
        scratch = try ScratchFolder()
        store = PushConfigurationStore(folder: "\(scratch.path)/config/earshot/push")
    }

    private static func configuration(_ ssids: String..., app: String = "app") -> PushConfiguration {
        PushConfigurationTests.configuration(ssids.map { Array($0.utf8) }, app: app)
    }

    @Test func whatIsSavedIsLoadedByItsOwnerAlone() throws {
        let saved = try store.save(Self.configuration("Ship")).saved
        #expect(try store.load(identifier: saved.identifier) == saved)
        #expect(store.load().configurations == [saved] && store.load().problems.isEmpty)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(store.path) == 0o700)
        #expect(try mode("\(store.path)/\(saved.identifier).json") == 0o600)
    }

    @Test func theNewerOfTwoThatOverlapStaysEnabled() throws {
        let first = try store.save(Self.configuration("Ship", "Staff")).saved
        let apart = try store.save(Self.configuration("Camp", app: "other")).saved
        let result = try store.save(Self.configuration("Staff", app: "other"))
        #expect(result.switchedOff.map(\.identifier) == [first.identifier])
        let old = try store.load(identifier: first.identifier)
        #expect(!old.isEnabled && old.supersededBy == result.saved.identifier)
        #expect(try store.load(identifier: apart.identifier).isEnabled)
        // When the user switches the old one on again, it wins, and is no longer superseded.
        var again = old
        again.isEnabled = true
        #expect(try store.save(again).switchedOff.map(\.identifier) == [result.saved.identifier])
        #expect(try store.load(identifier: first.identifier).supersededBy == nil)
        var both: [PushConfiguration] = []
        for _ in 0..<2 {
            var configuration = Self.configuration()
            configuration.matchesEthernet = true
            both.append(try store.save(configuration).saved)
        }
        #expect(try store.load(identifier: both[0].identifier).isEnabled == false, "Ethernet is a network too")
    }

    @Test func aConfigurationThatIsOffSwitchesNothingOff() throws {
        let first = try store.save(Self.configuration("Ship")).saved
        var second = Self.configuration("Ship")
        second.isEnabled = false
        #expect(try store.save(second).switchedOff.isEmpty)
        #expect(try store.load(identifier: first.identifier).isEnabled)
    }

    @Test func twoSaversDoNotRace() async throws {
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    try await onThread {
                        for _ in 0..<10 { try store.save(Self.configuration("Ship", app: "app\(worker)")) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let all = store.load().configurations
        #expect(all.count == 40 && all.count(where: \.isEnabled) == 1 && all.first?.isEnabled == true)
        #expect(Set(all.map(\.savedCount)).count == 40)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.path).allSatisfy { $0.hasSuffix(".json") })
    }

    @Test func anInvalidConfigurationIsNotSaved() {
        #expect {
            try store.save(Self.configuration(""))
        } throws: { ($0 as? PushConfigurationError)?.description.contains("0 bytes") == true }
        #expect(!FileManager.default.fileExists(atPath: store.path))
    }

    @Test func whatIsMissingIsSaid() throws {
        for identifier in ["none", "../../etc/passwd", ""] {
            #expect(throws: PushConfigurationError.missing(identifier: identifier)) {
                try store.load(identifier: identifier)
            }
            #expect(throws: PushConfigurationError.missing(identifier: identifier)) {
                try store.remove(identifier: identifier)
            }
        }
        let saved = try store.save(Self.configuration("Ship")).saved
        #expect(try store.disable(identifier: saved.identifier).isEnabled == false)
        try store.remove(identifier: saved.identifier)
        #expect(store.load().configurations.isEmpty && store.load().problems.isEmpty)
    }

    /// A link is not one of the agent's files. The store ignores it, and it prevents no save. A file that cannot be read for
    /// a while is different.
    @Test func aLinkInPlaceOfAConfigurationHindersNothing() throws {
        let saved = try store.save(Self.configuration("Ship")).saved
        symlink("\(store.path)/\(saved.identifier).json", "\(store.path)/link.json")
        #expect(store.load().problems.count == 1 && !store.load().isIncomplete)
        #expect(try store.disable(identifier: saved.identifier).savedCount == saved.savedCount + 1)
    }

    @Test func whatIsNoConfigurationIsLeftOutAndStays() throws {
        let saved = try store.save(Self.configuration("Ship")).saved
        let bytes = try Data(contentsOf: URL(filePath: "\(store.path)/\(saved.identifier).json"))
        try bytes.write(to: URL(filePath: "\(store.path)/other-name.json"))
        for (name, text) in [
            ("broken", "{"), ("empty", ""), ("newer", #"{"version":2}"#),
            ("huge", String(repeating: " ", count: 1 << 19)),
        ] {
            try Data(text.utf8).write(to: URL(filePath: "\(store.path)/\(name).json"))
            chmod("\(store.path)/\(name).json", 0o600)
        }
        let content = store.load()
        #expect(content.configurations == [saved])
        #expect(content.problems.count == 5, "\(content.problems)")
        #expect(content.invalid == ["broken", "empty", "newer", "other-name"])
        let names = try FileManager.default.contentsOfDirectory(atPath: store.path).sorted()
        #expect(
            names
                == [
                    "\(saved.identifier).json", "broken.json", "empty.json", "huge.json", "newer.json",
                    "other-name.json",
                ].sorted())
    }

    @Test func whatOthersMayWriteIsRefused() throws {
        let saved = try store.save(Self.configuration("Ship")).saved
        let file = "\(store.path)/\(saved.identifier).json"
        chmod(file, 0o666)
        #expect(store.load().problems.first?.contains("can be changed by others (mode 666)") == true)
        #expect(throws: PushConfigurationError.self) { try store.load(identifier: saved.identifier) }
        chmod(file, 0o600)
        for folder in [store.path, "\(scratch.path)/config"] {
            chmod(folder, 0o770)
            #expect(store.load().configurations.isEmpty && store.load().problems.count == 1, "\(folder)")
            #expect(throws: PushConfigurationError.self) { try store.save(saved) }
            chmod(folder, 0o700)
        }
        #expect(store.load().configurations == [saved])
    }

    @Test(.enabled(if: getuid() == 0, "only root can change the owner of a file"))
    func whatAnotherUserOwnsIsRefused() throws {
        let saved = try store.save(Self.configuration("Ship")).saved
        chown("\(store.path)/\(saved.identifier).json", 65_534, 65_534)
        #expect(store.load().problems.first?.contains("belongs to user 65534") == true)
        chown(store.path, 65_534, 65_534)
        #expect(store.load().configurations.isEmpty && store.load().problems.count == 1)
    }

    @Test func aPipeInPlaceOfAFileDoesNotBlock() throws {
        let saved = try store.save(Self.configuration("Ship")).saved
        mkfifo("\(store.path)/pipe.json", 0o600)
        let content = store.load()
        #expect(content.configurations == [saved] && content.problems.first?.contains("not a regular file") == true)
    }

    @Test func theirNumberIsBounded() throws {
        for number in 0..<PushConfigurationStore.maximumCount { try store.save(Self.configuration("\(number)")) }
        #expect {
            try store.save(Self.configuration("more"))
        } throws: { ($0 as? PushConfigurationError)?.description.contains("64 configurations already") == true }
    }
}
