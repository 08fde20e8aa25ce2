import FoundationEssentials
import GRDB
package import NearbyWire

extension SQLiteStore {
    package func attach(
        _ attachment: Attachment, to beacon: BeaconIdentifier, _ scope: RegistryScope, limit: Int
    ) async throws -> Registered<Attachment> {
        try await writes.perform { database, now in
            let row = try Self.require(beacon, scope, database)
            let (id, project): (Int64, Int64) = (row["id"], row["project_id"])
            let namespace = try Self.namespaceID(attachment.namespace, project: project, database)
            let present = try Self.attachments(of: id, database)
            if let same = present.first(where: {
                ($0.namespace, $0.type, $0.data) == (attachment.namespace, attachment.type, attachment.data)
            }) {
                return Registered(value: same, isNew: false)
            }
            guard present.count < limit else { throw RegistryError.tooManyAttachments(limit: limit) }
            try database.run(
                """
                INSERT INTO attachment (identifier, beacon_id, namespace_id, type, created_at, data)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [attachment.identifier, id, namespace, attachment.type, now, attachment.data])
            return Registered(value: attachment, isNew: true)
        }
    }

    package func detach(_ identifier: String, _ scope: RegistryScope) async throws {
        try await writes.perform { database, _ in
            try database.run(
                """
                DELETE FROM attachment WHERE identifier = ?
                    AND beacon_id IN (SELECT id FROM beacon WHERE ? IS NULL OR project_id = ?)
                """,
                [identifier, scope.project, scope.project])
            guard database.changesCount == 1 else { throw RegistryError.noSuchAttachment }
        }
    }

    /// One read for all beacons of the query. A beacon that is not registered costs one search in an index, and so does
    /// one of another project; neither stores anything.
    func lookUp(_ question: LookUp) async throws -> [LookUpResult] {
        try await pool.read { database in
            try question.beacons.compactMap { beacon in
                let rows = try database.rows(
                    Self.visible,
                    [
                        "kind": beacon.kind.rawValue, "identifier": Data(beacon.bytes), "project": question.project,
                        "namespace": question.filter.namespace, "type": question.filter.type,
                    ])
                return rows.isEmpty ? nil : LookUpResult(beacon: beacon, attachments: rows.map(Self.attachment))
            }
        }
    }

    // Without a namespace, all attachments of the project's own beacons. With one, also those of another project if it has
    // published the namespace.
    private static let visible = """
        \(columns)
        FROM beacon JOIN attachment ON beacon_id = beacon.id LEFT JOIN namespace ON namespace.id = namespace_id
        WHERE kind = :kind AND beacon.identifier = :identifier
            AND CASE WHEN :namespace = '' THEN beacon.project_id = :project
                ELSE namespace.name = :namespace AND (beacon.project_id = :project OR is_public) END
            AND (:type = '' OR type = :type)
        ORDER BY attachment.id
        """

    private static let columns = "SELECT attachment.identifier, coalesce(namespace.name, '') AS namespace, type, data"

    /// The attachments of a beacon, oldest first.
    static func attachments(of beacon: Int64, _ database: Database) throws -> [Attachment] {
        try database.rows(
            """
            \(columns) FROM attachment LEFT JOIN namespace ON namespace.id = namespace_id
            WHERE beacon_id = ? ORDER BY attachment.id
            """,
            [beacon]
        ).map(attachment)
    }

    private static func attachment(_ row: Row) -> Attachment {
        Attachment(identifier: row["identifier"], namespace: row["namespace"], type: row["type"], data: row["data"])
    }

    /// The number of a namespace of a project; nil for the default namespace.
    private static func namespaceID(_ name: String, project: Int64, _ database: Database) throws -> Int64? {
        if name.isEmpty { return nil }
        let id = try database.integers(
            "SELECT id FROM namespace WHERE name = ? AND project_id = ?", [name, project]
        ).first
        guard let id else { throw RegistryError.noSuchNamespace }
        return id
    }
}
