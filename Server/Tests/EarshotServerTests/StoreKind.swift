import Foundation
import Testing

@testable import EarshotServer

#if Postgres
    import EarshotPostgres
#endif

/// A kind of store. A test of a common guarantee runs on the one that EARSHOT_TEST_STORE names, `sqlite` or `postgres`;
/// without it, on SQLite. The two run one after the other, because running all tests on both at once disturbs the tests
/// of timing.
enum StoreKind: String, Sendable, CustomTestStringConvertible {
    case sqlite
    #if Postgres
        case postgres
    #endif

    static let all: [StoreKind] = {
        let name = ProcessInfo.processInfo.environment["EARSHOT_TEST_STORE"] ?? "sqlite"
        // An empty list would skip the tests silently.
        guard let kind = StoreKind(rawValue: name) else {
            fatalError("EARSHOT_TEST_STORE=\(name): there is no such store")
        }
        return [kind]
    }()

    var testDescription: String { rawValue }

    /// A store that serves: a file in the directory, or an empty database.
    func open(in directory: URL, clock: any ServiceClock) throws -> any Store {
        switch self {
        case .sqlite:
            return try SQLiteStore(path: directory.appendingPathComponent("test.sqlite").path, clock: clock)
        #if Postgres
            case .postgres:
                let address = try PostgresServer.shared.get().makeDatabase()
                var limits = ServiceLimits()
                limits.databaseConnections = 4
                let store = try PostgresStore(address: address, limits: limits, clock: clock, logger: silent)
                try store.join(at: "127.0.0.1:1")
                return store
        #endif
        }
    }
}
