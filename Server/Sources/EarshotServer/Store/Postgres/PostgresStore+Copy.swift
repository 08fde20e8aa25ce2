#if Postgres
    import EarshotPostgres
    import FoundationEssentials
    import GRDB

    /// Copies a SQLite database.
    ///
    /// The rows keep their numbers. SQLite counts from 1 over all projects, and the numbers of new rows on PostgreSQL
    /// begin far above (`ProjectRows`), so all numbers are unique.
    extension PostgresStore {
        private enum Kind: String {
            case bigint
            case text
            case bytea
            case optionalBytes
            case boolean
            /// Eight bytes, stored as a number in PostgreSQL.
            case token

            var type: String {
                switch self {
                case .token: "bigint"
                case .optionalBytes: "bytea"
                default: rawValue
                }
            }

            func values(_ rows: [Row], _ column: Int) -> PostgresValue {
                switch self {
                case .bigint: .integers(rows.map { $0[column] })
                case .text: .texts(rows.map { $0[column] })
                case .bytea: .manyBytes(rows.map { $0[column] ?? Data() })
                case .optionalBytes: .manyBytes(rows.map { $0[column] })
                case .boolean: .booleans(rows.map { $0[column] ?? false })
                case .token:
                    .integers(
                        rows.map { row in
                            Live.TokenName(row[column] ?? Data(), project: 0).map { Int64(bitPattern: $0.bytes) }
                        })
                }
            }
        }

        // Tables come after the tables that they reference.
        private static let tables: [(name: String, columns: KeyValuePairs<String, Kind>)] = [
            ("project", ["id": .bigint, "name": .text, "created_at": .bigint, "salt": .optionalBytes]),
            (
                "api_key",
                [
                    "id": .bigint, "project_id": .bigint, "name": .text, "role": .text, "hash": .bytea,
                    "created_at": .bigint, "revoked_at": .bigint, "origins": .text,
                ]
            ),
            (
                "namespace",
                ["id": .bigint, "project_id": .bigint, "name": .text, "is_public": .boolean, "created_at": .bigint]
            ),
            (
                "beacon",
                [
                    "id": .bigint, "project_id": .bigint, "kind": .text, "identifier": .bytea, "note": .text,
                    "created_at": .bigint,
                ]
            ),
            (
                "attachment",
                [
                    "id": .bigint, "identifier": .text, "beacon_id": .bigint, "namespace_id": .bigint, "type": .text,
                    "created_at": .bigint, "data": .bytea,
                ]
            ),
            (
                "device",
                [
                    "id": .bigint, "identifier": .text, "key_id": .bigint, "project_id": .bigint, "hash": .bytea,
                    "expires_at": .bigint, "sequence": .bigint, "forgotten": .bigint,
                ]
            ),
            (
                "publication",
                [
                    "id": .bigint, "identifier": .text, "device_id": .bigint, "project_id": .bigint,
                    "idempotency_key": .text, "namespace": .text, "type": .text, "expires_at": .bigint,
                    "ended_at": .bigint, "content_count": .bigint, "content": .bytea,
                ]
            ),
            (
                "subscription",
                [
                    "id": .bigint, "identifier": .text, "device_id": .bigint, "project_id": .bigint,
                    "idempotency_key": .text, "namespace": .text, "type": .text, "expires_at": .bigint,
                ]
            ),
            (
                "token",
                [
                    "id": .bigint, "project_id": .bigint, "bytes": .token, "device_id": .bigint,
                    "publication_id": .bigint, "subscription_id": .bigint, "issued_at": .bigint, "expires_at": .bigint,
                    "wrapped_key": .optionalBytes,
                ]
            ),
            (
                "delivery",
                [
                    "device_id": .bigint, "sequence": .bigint, "subscription_id": .bigint, "publication_id": .bigint,
                    "is_found": .boolean, "changed_at": .bigint,
                ]
            ),
        ]

        /// The tables whose numbers PostgreSQL assigns.
        private static let counting = ["project", "api_key", "namespace", "beacon", "attachment"]
        /// The maximum number of rows in one statement: 100 contents have 10 MB.
        private static let rowsPerStatement = 100

        /// Copies all rows in one transaction.
        /// - Parameter source: a store that no service uses.
        /// - Returns: the numbers of rows, by table.
        /// - Throws: `AdministrationError` if this database has projects already, or the error of a database.
        func fill(from source: SQLiteStore) async throws -> [(table: String, count: Int)] {
            try await administer { connection, _ in
                let present = try connection.execute("SELECT count(*) FROM project")[0].integer(0)
                guard present == 0 else {
                    throw AdministrationError(
                        description:
                            "The target has \(present) \(present == 1 ? "project" : "projects") already; name an "
                            + "empty database.")
                }
                let counts = try source.pool.read { database in
                    try Self.tables.map { ($0.name, try Self.copy($0.name, Array($0.columns), database, connection)) }
                }
                for table in Self.counting {
                    try connection.run(
                        script: """
                            SELECT setval(pg_get_serial_sequence('\(table)', 'id'), greatest(max(id), 1), max(id) IS NOT NULL)
                            FROM \(table)
                            """)
                }
                return counts
            }
        }

        private static func copy(
            _ table: String, _ columns: [(key: String, value: Kind)], _ database: Database,
            _ connection: PostgresConnection
        ) throws -> Int {
            let names = columns.map(\.key).joined(separator: ", ")
            let arrays = columns.enumerated().map { "$\($0 + 1)::\($1.value.type)[]" }.joined(separator: ", ")
            // Only numbers that PostgreSQL assigns itself need permission.
            let overriding = counting.contains(table) ? "OVERRIDING SYSTEM VALUE" : ""
            let insertion = "INSERT INTO \(table) (\(names)) \(overriding) SELECT * FROM unnest(\(arrays))"
            let cursor = try Row.fetchCursor(database, sql: "SELECT \(names) FROM \(table)")
            var count = 0
            while true {
                var rows: [Row] = []
                while rows.count < rowsPerStatement, let row = try cursor.next() { rows.append(row.copy()) }
                guard !rows.isEmpty else { return count }
                try connection.execute(
                    insertion, columns.enumerated().map { index, column in column.value.values(rows, index) })
                count += rows.count
            }
        }
    }
#endif
