import Foundation
import NearbyMessages
import Testing

/// A service to run the original interface against: the one in memory, or an `earshotd` that runs.
protocol ServiceUnderTest: Sendable, CustomTestStringConvertible {
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
    var testDescription: String { "in memory" }

    func connect(_ configuration: inout MessageManager.Configuration) {
        configuration.service = { [fake] in fake.client(key: $0) }
    }
}

/// One that runs somewhere: an empty one at `EARSHOT_TEST_SERVICE`, with two keys of different projects.
struct RunningService: ServiceUnderTest {
    let url: URL
    let key: String
    let otherProjectKey: String
    var testDescription: String { url.absoluteString }

    init?(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let url = environment["EARSHOT_TEST_SERVICE"].flatMap(URL.init(string:)),
            let keys = environment["EARSHOT_TEST_KEYS"]?.split(separator: ","), keys.count == 2
        else { return nil }
        (self.url, key, otherProjectKey) = (url, String(keys[0]), String(keys[1]))
    }

    func connect(_ configuration: inout MessageManager.Configuration) {
        configuration.serviceURL = url
    }
}

/// Those there are.
enum ServiceKind: CaseIterable, Sendable {
    case inMemory, running

    static var available: [ServiceKind] { RunningService() == nil ? [.inMemory] : allCases }

    func start() throws -> any ServiceUnderTest {
        switch self {
        case .inMemory: FakeServiceUnderTest()
        case .running: try RunningService().orThrow
        }
    }
}

extension Optional {
    fileprivate struct Missing: Error {}

    fileprivate var orThrow: Wrapped {
        get throws {
            guard let self else { throw Missing() }
            return self
        }
    }
}
