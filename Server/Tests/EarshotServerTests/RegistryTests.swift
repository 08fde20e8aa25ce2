import Foundation
import NearbyWire
import Testing

@testable import EarshotServer

extension BeaconIdentifier {
    /// An Eddystone beacon of a number.
    static func numbered(_ number: Int) -> BeaconIdentifier {
        .eddystone(
            namespace: [UInt8](repeating: 7, count: 10),
            instance: (0..<6).map { UInt8(truncatingIfNeeded: number >> (8 * (5 - $0))) })
    }
}

extension World {
    var registry: BeaconRegistry { service.registry }

    /// The number of a project; creates a new project.
    func project(_ name: String = "ours") async throws -> Int64 {
        if try await store.projects().allSatisfy({ $0.name != name }) { _ = try await store.createProject(name: name) }
        return try await store.project(named: name)
    }

    /// Registers a beacon and attaches a text.
    @discardableResult
    func attach(
        _ text: String, type: String = "", namespace: String = "", to beacon: BeaconIdentifier,
        of project: String = "ours"
    ) async throws -> String {
        let id = try await self.project(project)
        _ = try await registry.register(beacon, note: "", project: id)
        return try await registry.attach(
            Data(text.utf8), type: type, namespace: namespace, to: beacon, .project(id)
        ).value.identifier
    }
}

extension Device {
    /// The texts that the device gets, by the order of the beacons.
    func lookUp(_ beacons: BeaconIdentifier..., namespace: String = "", type: String = "") async throws -> [String] {
        try await world.service.lookUp(beacons, MessageFilter(namespace: namespace, type: type), for: session)
            .flatMap(\.attachments).map { String(decoding: $0.data, as: UTF8.self) }
    }
}

/// The register of beacons, and the questions of devices.
@Suite struct RegistryTests {
    private func error<Value>(_ body: () async throws -> Value) async throws -> RegistryError? {
        do {
            _ = try await body()
            return nil
        } catch let error as RegistryError {
            return error
        }
    }

    @Test(arguments: StoreKind.all) func aBeaconBelongsToOneProject(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (ours, theirs) = (try await world.project("ours"), try await world.project("theirs"))
        let first = try await world.registry.register(.numbered(1), note: "the door", project: ours)
        #expect(first.isNew && first.value.note == "the door" && first.value.project == "ours")
        let second = try await world.registry.register(.numbered(1), note: "the gate", project: ours)
        #expect(!second.isNew && second.value.note == "the gate")
        #expect(
            try await error { try await world.registry.register(.numbered(1), note: "", project: theirs) }
                == .beaconTaken)
        // The other project can neither read nor change it.
        for attempt in [
            { _ = try await world.registry.beacon(.numbered(1), .project(theirs)) },
            { try await world.registry.remove(.numbered(1), .project(theirs)) },
            {
                _ = try await world.registry.attach(Data(), type: "", namespace: "", to: .numbered(1), .project(theirs))
            },
        ] as [@Sendable () async throws -> Void] {
            #expect(try await error { try await attempt() } == .noSuchBeacon)
        }
        #expect(try await world.registry.beacons(.project(theirs)).beacons.isEmpty)
        #expect(try await world.registry.beacons(.all).beacons.map(\.note) == ["the gate"])
        // After its removal, any project may register it.
        try await world.registry.remove(.numbered(1), .project(ours))
        #expect(try await world.registry.register(.numbered(1), note: "", project: theirs).isNew)
    }

    @Test(arguments: StoreKind.all) func kindsWithTheSameBytesAreDifferentBeacons(_ kind: StoreKind) async throws {
        let world = try World(kind)
        try await world.attach("i", to: .iBeacon(uuid: [UInt8](repeating: 1, count: 16), major: 0x101, minor: 0x101))
        let device = try await world.device()
        let other = BeaconIdentifier.altBeacon(manufacturer: 0x101, identifier: [UInt8](repeating: 1, count: 20))
        #expect(try await device.lookUp(other).isEmpty)
    }

    @Test(arguments: StoreKind.all) func attachments(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let first = try await world.attach("hello", type: "greeting", to: .numbered(1))
        #expect(try await world.attach("hello", type: "greeting", to: .numbered(1)) == first, "once")
        let second = try await world.attach("hello", to: .numbered(1))
        #expect(second != first)
        let project = try await world.project()
        let theirs = try await world.project("theirs")
        let beacon = try await world.registry.beacon(.numbered(1), .project(project))
        #expect(beacon.attachments.map(\.identifier) == [first, second])
        #expect(try await error { try await world.registry.detach(first, .project(theirs)) } == .noSuchAttachment)
        try await world.registry.detach(first, .project(project))
        #expect(try await error { try await world.registry.detach(first, .all) } == .noSuchAttachment)
        try await world.registry.remove(.numbered(1), .all)
        #expect(try await world.rowCount("attachment") == 0)
    }

    @Test(arguments: StoreKind.all) func namespacesAreUnique(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (ours, theirs) = (try await world.project("ours"), try await world.project("theirs"))
        #expect(try await world.registry.createNamespace("n", project: ours, isPublic: false).isNew)
        // Repeating changes nothing.
        let again = try await world.registry.createNamespace("n", project: ours, isPublic: true)
        #expect(!again.isNew && !again.value.isPublic)
        #expect(
            try await error { try await world.registry.createNamespace("n", project: theirs, isPublic: false) }
                == .namespaceTaken)
        #expect(
            try await error { try await world.registry.setVisibility(of: "n", isPublic: true, .project(theirs)) }
                == .noSuchNamespace)
        #expect(try await world.registry.setVisibility(of: "n", isPublic: true, .project(ours)).isPublic)
        #expect(try await world.registry.namespaces(.project(theirs)).isEmpty)
        #expect(try await world.registry.namespaces(.all).map(\.name) == ["n"])
        // A namespace of another project, and one that does not exist.
        _ = try await world.registry.register(.numbered(1), note: "", project: theirs)
        for name in ["n", "missing"] {
            #expect(
                try await error {
                    try await world.registry.attach(Data(), type: "", namespace: name, to: .numbered(1), .all)
                } == .noSuchNamespace)
        }
        let attachment = try await world.attach("x", namespace: "n", to: .numbered(2))
        #expect(
            try await error { try await world.registry.removeNamespace("n", .project(ours)) }
                == .namespaceInUse(attachmentCount: 1))
        try await world.registry.detach(attachment, .all)
        try await world.registry.removeNamespace("n", .project(ours))
        #expect(try await world.registry.createNamespace("n", project: theirs, isPublic: false).isNew)
    }

    @Test(arguments: StoreKind.all) func devicesSeeTheirOwnProjectAndPublicNamespaces(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (ours, theirs) = (try await world.project("ours"), try await world.project("theirs"))
        for (name, project, isPublic) in [("hidden", ours, false), ("open", ours, true), ("foreign", theirs, true)] {
            _ = try await world.registry.createNamespace(name, project: project, isPublic: isPublic)
        }
        try await world.attach("default", type: "t", to: .numbered(1))
        try await world.attach("hidden", type: "t", namespace: "hidden", to: .numbered(1))
        try await world.attach("open", namespace: "open", to: .numbered(1))
        try await world.attach("foreign", namespace: "foreign", to: .numbered(2), of: "theirs")
        let (own, other) = (try await world.device("ours"), try await world.device("theirs"))

        #expect(try await own.lookUp(.numbered(2), .numbered(1), .numbered(3)) == ["default", "hidden", "open"])
        #expect(try await own.lookUp(.numbered(1), type: "t") == ["default", "hidden"])
        #expect(try await own.lookUp(.numbered(1), namespace: "hidden") == ["hidden"])
        #expect(try await own.lookUp(.numbered(1), namespace: "hidden", type: "u").isEmpty)
        #expect(try await own.lookUp(.numbered(1), .numbered(2), namespace: "foreign") == ["foreign"])

        // The other project gets nothing by default, a public namespace by its name, and never an unlisted one.
        #expect(try await other.lookUp(.numbered(1), .numbered(2)) == ["foreign"])
        #expect(try await other.lookUp(.numbered(1), type: "t").isEmpty)
        #expect(try await other.lookUp(.numbered(1), namespace: "open") == ["open"])
        #expect(try await other.lookUp(.numbered(1), namespace: "hidden").isEmpty)
        _ = try await world.registry.setVisibility(of: "open", isPublic: false, .all)
        #expect(try await other.lookUp(.numbered(1), namespace: "open").isEmpty)
        #expect(try await own.lookUp(.numbered(1), namespace: "open") == ["open"])
    }

    /// A beacon that a query names twice is looked up and returned once, in the order of the query.
    @Test(arguments: StoreKind.all) func repeatedBeaconsInAQuestion(_ kind: StoreKind) async throws {
        let world = try World(kind)
        try await world.attach("one", to: .numbered(1))
        try await world.attach("two", to: .numbered(2))
        let device = try await world.device()
        #expect(try await device.lookUp(.numbered(2), .numbered(1), .numbered(2)) == ["two", "one"])
    }

    @Test(arguments: StoreKind.all) func limits(_ kind: StoreKind) async throws {
        let world = try World(kind) { limits in
            limits.beaconsPerProject = 2
            limits.attachmentsPerBeacon = 2
            limits.namespacesPerProject = 2
        }
        let project = try await world.project()
        for number in 1...2 {
            try await world.attach("\(number)", to: .numbered(1))
            _ = try await world.registry.register(.numbered(number), note: "", project: project)
            _ = try await world.registry.createNamespace("n\(number)", project: project, isPublic: false)
        }
        #expect(
            try await error { try await world.registry.register(.numbered(3), note: "", project: project) }
                == .tooManyBeacons(limit: 2))
        #expect(try await error { try await world.attach("3", to: .numbered(1)) } == .tooManyAttachments(limit: 2))
        #expect(
            try await error { try await world.registry.createNamespace("n3", project: project, isPublic: false) }
                == .tooManyNamespaces(limit: 2))
        // Existing entries may be repeated, and another project has its own limits.
        try await world.attach("2", to: .numbered(1))
        try await world.attach("3", to: .numbered(3), of: "theirs")
        let device = try await world.device()
        let many = (0..<51).map { BeaconIdentifier.numbered($0) }
        let refused = try await problem {
            try await world.service.lookUp(many, MessageFilter(namespace: "", type: ""), for: device.session)
        }
        #expect(refused?.code == "out_of_range")
    }

    @Test(arguments: [
        (String(repeating: "x", count: 101), ""), ("a/b", ""), ("a\tb", ""), ("a\u{0}", ""), ("", "\n"),
        ("", String(repeating: "x", count: 201)),
    ])
    func textsOutOfRange(type: String, note: String) async throws {
        let world = try World()
        let project = try await world.project()
        let refused = try await error {
            _ = try await world.registry.register(.numbered(1), note: note, project: project)
            _ = try await world.registry.attach(Data(), type: type, namespace: "", to: .numbered(1), .all)
        }
        guard case .outOfRange? = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
    }

    @Test(arguments: StoreKind.all) func dataAndNamesOutOfRange(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let project = try await world.project()
        try await world.attach(
            String(repeating: "x", count: 1_024), type: String(repeating: "é", count: 100), to: .numbered(1))
        for mistake in [
            { try await world.attach(String(repeating: "x", count: 1_025), to: .numbered(1)) },
            { _ = try await world.registry.createNamespace("", project: project, isPublic: false) },
            { _ = try await world.registry.createNamespace("räume", project: project, isPublic: false) },
            { _ = try await world.registry.createNamespace("a b", project: project, isPublic: false) },
            {
                let long = String(repeating: "x", count: 65)
                _ = try await world.registry.createNamespace(long, project: project, isPublic: false)
            },
        ] as [@Sendable () async throws -> Void] {
            guard case .outOfRange? = try await error(mistake) else {
                Issue.record("it was accepted")
                continue
            }
        }
    }

    @Test(arguments: StoreKind.all) func pages(_ kind: StoreKind) async throws {
        let world = try World(kind) { $0.beaconsPerPage = 3 }
        let project = try await world.project()
        let iBeacon = BeaconIdentifier.iBeacon(uuid: [UInt8](repeating: 0, count: 16), major: 0, minor: 0)
        for beacon in [iBeacon] + (1...6).reversed().map({ .numbered($0) }) {
            _ = try await world.registry.register(beacon, note: "", project: project)
        }
        _ = try await world.registry.register(.numbered(9), note: "", project: try await world.project("theirs"))
        var seen: [BeaconIdentifier] = []
        var page: BeaconPage
        repeat {
            page = try await world.registry.beacons(.project(project), after: seen.last)
            #expect(page.beacons.count <= 3)
            seen += page.beacons.map(\.identifier)
        } while page.hasMore
        #expect(seen == (1...6).map { .numbered($0) } + [iBeacon])
    }

    /// An unregistered beacon costs one search in an index. It stores nothing and delays no other query.
    @Test(arguments: StoreKind.all) func unknownBeaconsAreCheap(_ kind: StoreKind) async throws {
        let world = try World(kind)
        for number in 0..<100 { try await world.attach("\(number)", to: .numbered(1_000_000 + number)) }
        let device = try await world.device()
        func time(of numbers: [Int]) async throws -> Duration {
            try await ContinuousClock().measure {
                for begin in stride(from: 0, to: numbers.count, by: 50) {
                    let beacons = numbers[begin..<min(begin + 50, numbers.count)].map { BeaconIdentifier.numbered($0) }
                    _ = try await world.service.lookUp(
                        beacons, MessageFilter(namespace: "", type: ""), for: device.session)
                }
            }
        }
        let known = (0..<100).map { 1_000_000 + $0 }
        _ = try await time(of: known)
        let before = try await time(of: known)
        let size = try await (world.store.counts(), world.rowCount("beacon"), world.rowCount("attachment"))
        let unknown = try await time(of: Array(0..<10_000))
        let after = try await time(of: known)
        #expect(try await (world.store.counts(), world.rowCount("beacon"), world.rowCount("attachment")) == size)
        // An unknown beacon costs no more than a known one. With a margin for a busy machine, 100 times as many take less
        // than 300 times as long.
        #expect(unknown < before * 300 + .seconds(5), "\(unknown) for 10,000, \(before) for 100")
        #expect(after < before * 20 + .seconds(1), "\(after) after, \(before) before")
    }
}
