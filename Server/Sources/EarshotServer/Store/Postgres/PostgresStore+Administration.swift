#if Postgres
    import EarshotPostgres
    package import FoundationEssentials

    extension PostgresStore {
        package func createProject(name: String, salt: Data?) async throws -> Project {
            try await administer { connection, now in
                do {
                    let id = try connection.execute(
                        "INSERT INTO project (name, created_at, salt) VALUES ($1, $2, $3) RETURNING id",
                        [.text(name), .integer(now.milliseconds), .optional(salt)])[0].integer(0)
                    return Project(id: id, name: name, created: now, salt: salt)
                } catch let error as PostgresError where error.isDuplicate {
                    throw AdministrationError(description: "The project '\(name)' exists already; choose another name.")
                }
            }
        }

        package func projects() async throws -> [Project] {
            try await administer { connection, _ in
                try connection.execute("SELECT id, name, created_at, salt FROM project ORDER BY id").map {
                    Project(id: $0.integer(0), name: $0.text(1), created: $0.moment(2), salt: $0.optionalBytes(3))
                }
            }
        }

        package func createKey(
            project: String, name: String, role: KeyRole, origins: AllowedOrigins?, hash: Data
        ) async throws -> APIKey {
            try await administer { connection, now in
                let id = try Self.project(project, connection)
                let key = try connection.execute(
                    """
                    INSERT INTO api_key (project_id, name, role, origins, hash, created_at)
                    VALUES ($1, $2, $3, $4, $5, $6) RETURNING id
                    """,
                    [
                        .integer(id), .text(name), .text(role.rawValue), .optional(origins?.stored), .bytes(hash),
                        .integer(now.milliseconds),
                    ]
                )[0].integer(0)
                return APIKey(
                    id: key, project: project, name: name, role: role, origins: origins, created: now, revoked: nil)
            }
        }

        package func keys(project: String?) async throws -> [APIKey] {
            try await administer { connection, _ in
                if let project { _ = try Self.project(project, connection) }
                return try Self.keys(connection, where: "$1::text IS NULL OR project.name = $1", [.optional(project)])
            }
        }

        package func revokeKey(id: Int64) async throws -> APIKey {
            let key = try await administer { connection, now in
                try connection.execute(
                    "UPDATE api_key SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL",
                    [.integer(now.milliseconds), .integer(id)])
                guard let key = try Self.keys(connection, where: "api_key.id = $1", [.integer(id)]).first else {
                    throw AdministrationError(description: "There is no key \(id); 'earshotd key list' shows them all.")
                }
                try connection.execute("SELECT pg_notify($1, '')", [.text(Self.channel)])
                return key
            }
            // Running nodes refuse the key before the command ends.
            if isNode { try await endRevoked() } else { try await Task.sleep(for: Self.revocationDelay) }
            return key
        }

        /// The time after which the nodes have read a notification and its rows.
        private static let revocationDelay = Duration.milliseconds(200)

        func keyHolder(hash: Data) async throws -> KeyHolder? {
            try await perform { connection, _ in
                try connection.execute(
                    """
                    SELECT api_key.id, project_id, role, origins, salt
                    FROM api_key JOIN project ON project.id = project_id WHERE hash = $1 AND revoked_at IS NULL
                    """,
                    [.bytes(hash)]
                ).first.map { row in
                    KeyHolder(
                        key: row.integer(0), project: row.integer(1), role: KeyRole(row.text(2)),
                        origins: row.origins(3), salt: row.optionalBytes(4))
                }
            }
        }

        func browserOrigins() async throws -> Set<String> {
            try await perform { connection, _ in
                let rows = try connection.execute(
                    "SELECT origins FROM api_key WHERE origins IS NOT NULL AND revoked_at IS NULL")
                return Set(rows.flatMap { $0.origins(0)?.texts ?? [] })
            }
        }

        /// A transaction of the operator, who gets the database's error and not a `Problem` with a code.
        func administer<Value: Sendable>(
            _ body: @escaping @Sendable (PostgresConnection, _ now: Moment) throws -> Value
        ) async throws -> Value {
            try await explaining { try await transaction(body) }
        }

        /// The result of `body`, or the database's error as the operator reads it.
        func explaining<Value>(_ body: () async throws -> Value) async throws -> Value {
            do {
                return try await body()
            } catch let error as PostgresError {
                throw AdministrationError(description: error.description)
            }
        }

        private static func keys(
            _ connection: PostgresConnection, where condition: String, _ parameters: [PostgresValue]
        ) throws -> [APIKey] {
            let sql = """
                SELECT api_key.id, project.name, api_key.name, role, api_key.created_at, revoked_at, origins
                FROM api_key JOIN project ON project.id = project_id WHERE \(condition) ORDER BY api_key.id
                """
            return try connection.execute(sql, parameters).map { row in
                APIKey(
                    id: row.integer(0), project: row.text(1), name: row.text(2), role: KeyRole(row.text(3)),
                    origins: row.origins(6), created: row.moment(4),
                    revoked: row.optionalInteger(5).map(Moment.init(milliseconds:)))
            }
        }

        static func project(_ name: String, _ connection: PostgresConnection) throws -> Int64 {
            let rows = try connection.execute("SELECT id FROM project WHERE name = $1", [.text(name)])
            guard let row = rows.first else {
                throw AdministrationError(
                    description: "There is no project '\(name)'; create it with 'earshotd project create'.")
            }
            return row.integer(0)
        }
    }
#endif
