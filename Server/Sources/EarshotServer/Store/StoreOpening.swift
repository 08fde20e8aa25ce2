import FoundationEssentials
import Glibc
import Logging

/// A store for the operator's commands.
package protocol OperatorStore: Administration, RegistryStore {
    /// Closes its connections.
    /// - Throws: the database's error if one cannot be closed.
    func close() throws
}

/// Opens the store that `--database` names: a SQLite file, or `postgres://…`.
package enum StoreOpening {
    /// Opens a store for a command of the operator; a service may be running.
    /// - Parameter creates: whether the command creates a missing file. Any other command would find nothing in it.
    /// - Throws: `AdministrationError` if there is no such file, or if this build does not support the store; or the error of the database.
    package static func administer(_ database: String, creates: Bool) throws -> any OperatorStore {
        try checkKind(database)
        guard isPostgres(database) else {
            guard creates || access(database, F_OK) == 0 || errno != ENOENT else {
                throw AdministrationError(
                    description:
                        "There is no such file. Name the service's database with --database or --configuration.")
            }
            return try SQLiteStore(path: database, creates: creates, isServing: false)
        }
        return try postgres(
            database, creates: creates, ServiceLimits(), Logger(label: "earshotd") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Opens a store to serve.
    /// - Throws: `DatabaseInUse` if another process serves the file, and as above.
    static func serve(_ database: String, _ limits: ServiceLimits, _ logger: Logger) throws -> any Store {
        try checkKind(database)
        guard !isPostgres(database) else { return try postgres(database, creates: true, limits, logger) }
        let store = try SQLiteStore(path: database, pendingWrites: limits.pendingWrites)
        for file in store.repairedFiles {
            logger.warning("other users could read the database; now only its owner can", metadata: ["file": "\(file)"])
        }
        return store
    }

    /// Copies a SQLite database into an empty one on PostgreSQL, while no service uses either.
    /// - Returns: the numbers of rows, by table.
    /// - Throws: `DatabaseInUse` if a service uses the file; `AdministrationError` if either is not such a database;
    ///   the error of a database.
    package static func copy(from source: String, to target: String) async throws -> [(table: String, count: Int)] {
        guard !isPostgres(source), isPostgres(target) else {
            throw AdministrationError(
                description: "Copy from a SQLite file to postgres://…; there is no other way yet.")
        }
        guard access(source, F_OK) == 0 || errno != ENOENT else {
            throw AdministrationError(description: "There is no file '\(source)'.")
        }
        let from = try SQLiteStore(path: source, creates: false)
        #if Postgres
            let to = try PostgresStore(address: target)
            defer { to.close() }
            let counts = try await to.fill(from: from)
        #else
            let counts: [(table: String, count: Int)] = []
            _ = try postgres(
                target, creates: true, ServiceLimits(), Logger(label: "earshotd") { _ in SwiftLogNoOpLogHandler() })
        #endif
        try from.close()
        return counts
    }

    /// The name of a database for messages, without the password that an address may have.
    package static func name(_ database: String) -> String {
        guard isPostgres(database) else { return database }
        guard var address = URLComponents(string: database) else { return "postgres://…" }
        address.password = nil
        // libpq accepts a password there as well.
        address.queryItems?.removeAll { $0.name == "password" }
        return address.string ?? "postgres://…"
    }

    /// - Throws: `AdministrationError` if the address is that of a database which earshotd does not know.
    private static func checkKind(_ database: String) throws {
        guard !isPostgres(database) else { return }
        if database.hasPrefix("postgres:") || database.hasPrefix("postgresql:") {
            throw AdministrationError(description: "An address of PostgreSQL begins with postgres://.")
        }
        guard database.contains("://") else { return }
        throw AdministrationError(
            description:
                "earshotd knows no databases at '\(database.prefix { $0 != ":" })://…', only files and postgres:// addresses."
        )
    }

    /// Whether an address is of PostgreSQL; otherwise it is the path of a file.
    package static func isPostgres(_ database: String) -> Bool {
        database.hasPrefix("postgres://") || database.hasPrefix("postgresql://")
    }

    private static func postgres(
        _ address: String, creates: Bool, _ limits: ServiceLimits, _ logger: Logger
    ) throws -> any Store {
        #if Postgres
            let store = try PostgresStore(address: address, creates: creates, limits: limits, logger: logger)
            if !store.isDurable {
                logger.warning(
                    "PostgreSQL has fsync or full_page_writes off: a crash of its machine may lose answered requests")
            }
            return store
        #else
            throw AdministrationError(
                description: "This earshotd was built without PostgreSQL; build it with 'make server POSTGRES=1'.")
        #endif
    }
}
