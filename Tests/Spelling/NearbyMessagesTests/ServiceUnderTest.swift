import EarshotMessages
import MessagesTestSupport
import NearbyMessages

/// A service for the original interface: a simulated one in memory, or a running `earshotd`.
protocol ServiceUnderTest: Sendable {
    /// A key of a project.
    var key: String { get }
    var otherProjectKey: String { get }
    /// Connects managers of this configuration to the service.
    func connect(_ configuration: inout MessageManager.Configuration)
}

/// The service in memory, one for each test.
struct FakeServiceUnderTest: ServiceUnderTest {
    let fake = FakeService(keys: ["API_KEY": "project", "OTHER_KEY": "another"])
    var key: String { "API_KEY" }
    var otherProjectKey: String { "OTHER_KEY" }

    func connect(_ configuration: inout MessageManager.Configuration) {
        configuration.internals.service = { [fake] in fake.client(key: $0) }
    }
}

/// An `earshotd` with an empty database, one for each test.
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

/// The kinds of services.
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
