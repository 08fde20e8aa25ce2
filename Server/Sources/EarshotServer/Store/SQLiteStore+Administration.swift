package import FoundationEssentials
import GRDB

/// The reason why an operator's command fails.
package struct AdministrationError: Error, CustomStringConvertible, Equatable {
    package let description: String
}

extension SQLiteStore {
    package func createProject(name: String, salt: Data?) async throws -> Project {
        try await writes.perform { database, now in
            guard try Self.projectID(name, database) == nil else {
                throw AdministrationError(description: "The project '\(name)' exists already; choose another name.")
            }
            try database.run("INSERT INTO project (name, created_at, salt) VALUES (?, ?, ?)", [name, now, salt])
            return Project(id: database.lastInsertedRowID, name: name, created: now, salt: salt)
        }
    }

    package func projects() async throws -> [Project] {
        try await pool.read { database in
            try database.rows("SELECT id, name, created_at, salt FROM project ORDER BY id").map { row in
                Project(id: row["id"], name: row["name"], created: row["created_at"], salt: row["salt"])
            }
        }
    }

    package func createKey(
        project: String, name: String, role: KeyRole, origins: AllowedOrigins?, hash: Data
    ) async throws -> APIKey {
        try await writes.perform { database, now in
            guard let id = try Self.projectID(project, database) else { throw Self.unknownProject(project) }
            try database.run(
                "INSERT INTO api_key (project_id, name, role, origins, hash, created_at) VALUES (?, ?, ?, ?, ?, ?)",
                [id, name, role.rawValue, origins?.stored, hash, now])
            return APIKey(
                id: database.lastInsertedRowID, project: project, name: name, role: role, origins: origins,
                created: now,
                revoked: nil)
        }
    }

    package func keys(project: String?) async throws -> [APIKey] {
        try await pool.read { database in
            if let project, try Self.projectID(project, database) == nil { throw Self.unknownProject(project) }
            return try Self.keys(database, where: "? IS NULL OR project.name = ?", [project, project])
        }
    }

    package func revokeKey(id: Int64) async throws -> APIKey {
        let key = try await writes.perform { database, now in
            try database.run("UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", [now, id])
            guard let key = try Self.keys(database, where: "api_key.id = ?", [id]).first else {
                throw AdministrationError(description: "There is no key \(id); 'earshotd key list' shows them all.")
            }
            return key
        }
        // A running service refuses the key before the command ends.
        if isServing {
            try refreshRevocations(isUrgent: true)
        } else {
            try await Task.sleep(for: Self.revocationDelay * 5)
        }
        return key
    }

    func keyHolder(hash: Data) async throws -> KeyHolder? {
        try await pool.read { database in
            try database.row(
                """
                SELECT api_key.id, project_id, role, origins, salt FROM api_key JOIN project ON project.id = project_id
                WHERE hash = ? AND revoked_at IS NULL
                """,
                [hash]
            ).map { row in
                KeyHolder(
                    key: row["id"], project: row["project_id"], role: KeyRole(row["role"]), origins: Self.origins(row),
                    salt: row["salt"])
            }
        }
    }

    func browserOrigins() async throws -> Set<String> {
        try await pool.read { database in
            let rows = try database.rows(
                "SELECT origins FROM api_key WHERE origins IS NOT NULL AND revoked_at IS NULL")
            return Set(rows.flatMap { Self.origins($0)?.texts ?? [] })
        }
    }

    private static func origins(_ row: Row) -> AllowedOrigins? {
        let stored: String? = row["origins"]
        return stored.map(AllowedOrigins.init(stored:))
    }

    private static func keys(
        _ database: Database, where condition: String, _ arguments: StatementArguments
    ) throws -> [APIKey] {
        let sql = """
            SELECT api_key.*, project.name AS project FROM api_key JOIN project ON project.id = project_id
            WHERE \(condition) ORDER BY api_key.id
            """
        return try database.rows(sql, arguments).map { row in
            APIKey(
                id: row["id"], project: row["project"], name: row["name"], role: KeyRole(row["role"]),
                origins: origins(row), created: row["created_at"], revoked: row["revoked_at"])
        }
    }

    static func projectID(_ name: String, _ database: Database) throws -> Int64? {
        try database.integers("SELECT id FROM project WHERE name = ?", [name]).first
    }

    static func unknownProject(_ name: String) -> AdministrationError {
        AdministrationError(description: "There is no project '\(name)'; create it with 'earshotd project create'.")
    }
}
