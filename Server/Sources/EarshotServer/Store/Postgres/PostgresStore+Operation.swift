#if Postgres
    import EarshotPostgres

    /// The operator's inspections and repairs.
    extension PostgresStore {
        package func devices(project: String?) async throws -> [DeviceRecord] {
            try await administer { connection, _ in
                if let project { _ = try Self.project(project, connection) }
                return try connection.execute(OperatorQueries.devices, [.optional(project)]).map { row in
                    DeviceRecord(
                        identifier: row.text(0), project: row.text(1), key: row.integer(2), expires: row.moment(3),
                        publications: row.integer(4), subscriptions: row.integer(5))
                }
            }
        }

        package func publications(project: String?) async throws -> [PublicationRecord] {
            try await administer { connection, _ in
                if let project { _ = try Self.project(project, connection) }
                return try connection.execute(OperatorQueries.publications, [.optional(project)]).map { row in
                    PublicationRecord(
                        identifier: row.text(0), project: row.text(1), device: row.text(2), namespace: row.text(3),
                        type: row.text(4), contentCount: row.integer(5), expires: row.moment(6))
                }
            }
        }

        package func end(_ item: EndedItem) async throws -> Bool {
            guard try await isAlive(item) else { throw unknown(item) }
            return try await awaitEnd {
                try await administer { connection, _ in
                    try connection.run(script: OperatorQueries.forgetEndings)
                    try connection.execute(
                        "INSERT INTO ending (\(item.table)) VALUES ($1)", [.text(item.identifier)])
                    try connection.execute("SELECT pg_notify($1, '')", [.text(Self.channel)])
                }
            } isAlive: {
                try await isAlive(item)
            }
        }

        private func isAlive(_ item: EndedItem) async throws -> Bool {
            try await administer { connection, _ in
                try !connection.execute(
                    "SELECT FROM \(item.table) WHERE identifier = $1 AND \(item.condition) LIMIT 1",
                    [.text(item.identifier)]
                ).isEmpty
            }
        }

        package func inspect() async throws -> Inspection {
            try await explaining {
                try await perform { connection, _ in try connection.transaction(Self.inspect) }
            }
        }

        private static func inspect(_ connection: PostgresConnection) throws -> Inspection {
            try connection.run(script: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            try connection.run(script: "SET LOCAL statement_timeout = 0")
            var inspection = Inspection()
            try inspection.look { try connection.execute($0)[0].integer(0) }
            return inspection
        }

        package func backUp(to path: String) async throws {
            throw AdministrationError(
                description: "PostgreSQL's own program makes this copy: pg_dump --format=custom --file=\(path) DATABASE"
            )
        }
    }
#endif
