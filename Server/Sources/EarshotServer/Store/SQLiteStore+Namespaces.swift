import GRDB

extension SQLiteStore {
    package func project(named name: String) async throws -> Int64 {
        let id = try await pool.read { try $0.integers("SELECT id FROM project WHERE name = ?", [name]).first }
        guard let id else { throw RegistryError.noSuchProject(name) }
        return id
    }

    package func createNamespace(
        _ name: String, project: Int64, isPublic: Bool, limit: Int
    ) async throws -> Registered<Namespace> {
        try await writes.perform { database, now in
            if try Self.namespace(name, .project(project), database) == nil {
                guard try database.count("SELECT count(*) FROM namespace WHERE name = ?", [name]) == 0 else {
                    throw RegistryError.namespaceTaken
                }
                guard try database.count("SELECT count(*) FROM namespace WHERE project_id = ?", [project]) < limit
                else { throw RegistryError.tooManyNamespaces(limit: limit) }
                try database.run(
                    "INSERT INTO namespace (project_id, name, is_public, created_at) VALUES (?, ?, ?, ?)",
                    [project, name, isPublic, now])
                return Registered(value: try Self.require(name, .project(project), database).value, isNew: true)
            }
            return Registered(value: try Self.require(name, .project(project), database).value, isNew: false)
        }
    }

    package func namespaces(_ scope: RegistryScope) async throws -> [Namespace] {
        try await pool.read { database in
            try database.rows(
                "\(Self.selectNamespace) WHERE ? IS NULL OR project_id = ? ORDER BY namespace.name",
                [scope.project, scope.project]
            ).map(Self.namespace)
        }
    }

    package func setVisibility(of name: String, isPublic: Bool, _ scope: RegistryScope) async throws -> Namespace {
        try await writes.perform { database, _ in
            let (id, _) = try Self.require(name, scope, database)
            try database.run("UPDATE namespace SET is_public = ? WHERE id = ?", [isPublic, id])
            return try Self.require(name, scope, database).value
        }
    }

    package func removeNamespace(_ name: String, _ scope: RegistryScope) async throws {
        try await writes.perform { database, _ in
            let (id, _) = try Self.require(name, scope, database)
            let count = try database.count("SELECT count(*) FROM attachment WHERE namespace_id = ?", [id])
            guard count == 0 else { throw RegistryError.namespaceInUse(attachmentCount: count) }
            try database.run("DELETE FROM namespace WHERE id = ?", [id])
        }
    }

    private static let selectNamespace = """
        SELECT namespace.*, project.name AS project FROM namespace JOIN project ON project.id = project_id
        """

    private static func namespace(_ row: Row) -> Namespace {
        Namespace(
            name: row["name"], project: row["project"], isPublic: row["is_public"], created: row["created_at"])
    }

    private static func require(
        _ name: String, _ scope: RegistryScope, _ database: Database
    ) throws -> (id: Int64, value: Namespace) {
        guard let row = try namespace(name, scope, database) else { throw RegistryError.noSuchNamespace }
        return (row["id"], namespace(row))
    }

    private static func namespace(_ name: String, _ scope: RegistryScope, _ database: Database) throws -> Row? {
        try database.row(
            "\(selectNamespace) WHERE namespace.name = ? AND (? IS NULL OR project_id = ?)",
            [name, scope.project, scope.project])
    }
}
