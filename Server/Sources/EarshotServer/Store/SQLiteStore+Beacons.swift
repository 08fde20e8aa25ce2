import FoundationEssentials
import GRDB
package import NearbyWire

extension SQLiteStore {
    package func register(
        _ beacon: BeaconIdentifier, note: String, project: Int64, limit: Int
    ) async throws -> Registered<Beacon> {
        try await writes.perform { database, now in
            let owner = try database.integers(
                "SELECT project_id FROM beacon WHERE kind = ? AND identifier = ?", Self.arguments(beacon)
            ).first
            guard owner ?? project == project else { throw RegistryError.beaconTaken }
            if owner == nil {
                guard try database.count("SELECT count(*) FROM beacon WHERE project_id = ?", [project]) < limit else {
                    throw RegistryError.tooManyBeacons(limit: limit)
                }
                try database.run(
                    "INSERT INTO beacon (kind, identifier, project_id, note, created_at) VALUES (?, ?, ?, ?, ?)",
                    Self.arguments(beacon) + [project, note, now])
            } else {
                try database.run(
                    "UPDATE beacon SET note = ? WHERE kind = ? AND identifier = ?", [note] + Self.arguments(beacon))
            }
            return Registered(
                value: try Self.beacon(Self.require(beacon, .project(project), database), database), isNew: owner == nil
            )
        }
    }

    package func beacons(_ scope: RegistryScope, after: BeaconIdentifier?, limit: Int) async throws -> BeaconPage {
        try await pool.read { database in
            let rows = try database.rows(
                """
                \(Self.selectBeacon)
                WHERE (:project IS NULL OR project_id = :project)
                    AND (:kind IS NULL OR (kind, identifier) > (:kind, :identifier))
                ORDER BY kind, identifier LIMIT :limit
                """,
                [
                    "project": scope.project, "kind": after?.kind.rawValue,
                    "identifier": after.map { Data($0.bytes) }, "limit": limit + 1,
                ])
            return BeaconPage(
                beacons: try rows.prefix(limit).map { try Self.beacon($0, database) }, hasMore: rows.count > limit)
        }
    }

    package func beacon(_ beacon: BeaconIdentifier, _ scope: RegistryScope) async throws -> Beacon {
        try await pool.read { try Self.beacon(Self.require(beacon, scope, $0), $0) }
    }

    package func remove(_ beacon: BeaconIdentifier, _ scope: RegistryScope) async throws {
        try await writes.perform { database, _ in
            let id: Int64 = try Self.require(beacon, scope, database)["id"]
            try database.run("DELETE FROM beacon WHERE id = ?", [id])
        }
    }

    private static let selectBeacon = """
        SELECT beacon.*, project.name AS project FROM beacon JOIN project ON project.id = project_id
        """

    /// The values of the columns `kind` and `identifier`.
    static func arguments(_ beacon: BeaconIdentifier) -> StatementArguments {
        [beacon.kind.rawValue, Data(beacon.bytes)]
    }

    /// The row of a beacon.
    /// - Throws: `RegistryError.noSuchBeacon`, even if it is in another project.
    static func require(_ beacon: BeaconIdentifier, _ scope: RegistryScope, _ database: Database) throws -> Row {
        let row = try database.row(
            "\(selectBeacon) WHERE kind = ? AND identifier = ? AND (? IS NULL OR project_id = ?)",
            arguments(beacon) + [scope.project, scope.project])
        guard let row else { throw RegistryError.noSuchBeacon }
        return row
    }

    private static func beacon(_ row: Row, _ database: Database) throws -> Beacon {
        let (kind, bytes): (String, Data) = (row["kind"], row["identifier"])
        guard let kind = BeaconIdentifier.Kind(rawValue: kind),
            let identifier = BeaconIdentifier(kind, bytes: Array(bytes))
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a beacon of an unknown kind") }
        return Beacon(
            identifier: identifier, project: row["project"], note: row["note"], created: row["created_at"],
            attachments: try attachments(of: row["id"], database))
    }
}
