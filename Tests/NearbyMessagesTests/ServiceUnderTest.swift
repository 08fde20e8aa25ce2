import EarshotMessages
import MessagesTestSupport
import NearbyMessages

/// A service to run the original interface against: the one in memory, or an `earshotd` that runs.
protocol ServiceUnderTest: Sendable {
    /// A key of a project, and one of another.
    var key: String { get }
    var otherProjectKey: String { get }
    /// Lets managers with this configuration reach it.
    func connect(_ configuration: inout MessageManager.Configuration)
}

/// The one in memory. One for each test.
struct FakeServiceUnderTest: ServiceUnderTest {
    let fake = FakeService(keys: ["API_KEY": "project", "OTHER_KEY": "another"])
    var key: String { "API_KEY" }
    var otherProjectKey: String { "OTHER_KEY" }

    func connect(_ configuration: inout MessageManager.Configuration) {
        configuration.service = { [fake] in fake.client(key: $0) }
    }
}

/// An `earshotd` with an empty database. One for each test.
struct RunningServiceUnderTest: ServiceUnderTest {
    private let daemon: Daemon
    let key: String
    let otherProjectKey: String

    init() throws {
        daemon = try Daemon()
        key = try daemon.key()
        otherProjectKey = try daemon.key(project: "other")
    }

    func connect(_ configuration: inout MessageManager.Configuration) {
        configuration.serviceURL = daemon.url
    }
}

/// Those there are.
enum ServiceKind: CaseIterable, Sendable {
    case inMemory, running

    static var available: [ServiceKind] { Daemon.program == nil ? [.inMemory] : allCases }

    func start() throws -> any ServiceUnderTest {
        switch self {
        case .inMemory: FakeServiceUnderTest()
        case .running: try RunningServiceUnderTest()
        }
    }
}
