#if Postgres
    import EarshotPostgres
    import FoundationEssentials
    package import NearbyWire

    extension PostgresStore {
        package func project(named name: String) async throws -> Int64 {
            let row = try await perform { connection, _ in
                try connection.execute("SELECT id FROM project WHERE name = $1", [.text(name)]).first
            }
            guard let row else { throw RegistryError.noSuchProject(name) }
            return row.integer(0)
        }

        package func createNamespace(
            _ name: String, project: Int64, isPublic: Bool, limit: Int
        ) async throws -> Registered<Namespace> {
            try await register(project) { connection, now in
                if let present = try Self.namespace(name, .project(project), connection) {
                    return Registered(value: present.value, isNew: false)
                }
                let count = try connection.execute(
                    "SELECT count(*) FROM namespace WHERE project_id = $1", [.integer(project)])[0].integer(0)
                guard try count < limit || Self.isTaken(name, connection) else {
                    throw RegistryError.tooManyNamespaces(limit: limit)
                }
                // If another project's transaction takes the name at the same time, the index decides.
                let created = try connection.execute(
                    """
                    INSERT INTO namespace (project_id, name, is_public, created_at) VALUES ($1, $2, $3, $4)
                    ON CONFLICT DO NOTHING RETURNING id
                    """, [.integer(project), .text(name), .boolean(isPublic), .integer(now.milliseconds)])
                guard !created.isEmpty else { throw RegistryError.namespaceTaken }
                return Registered(value: try Self.require(name, .project(project), connection).value, isNew: true)
            }
        }

        package func namespaces(_ scope: RegistryScope) async throws -> [Namespace] {
            try await perform { connection, _ in
                try connection.execute(
                    "\(Self.selectNamespace) WHERE $1::bigint IS NULL OR project_id = $1 ORDER BY namespace.name",
                    [.optional(scope.project)]
                ).map(Self.namespace)
            }
        }

        package func setVisibility(
            of name: String, isPublic: Bool, _ scope: RegistryScope
        ) async throws -> Namespace {
            try await transaction { connection, _ in
                let (id, _) = try Self.require(name, scope, connection)
                try connection.execute(
                    "UPDATE namespace SET is_public = $1 WHERE id = $2", [.boolean(isPublic), .integer(id)])
                return try Self.require(name, scope, connection).value
            }
        }

        package func removeNamespace(_ name: String, _ scope: RegistryScope) async throws {
            try await transaction { connection, _ in
                let (id, _) = try Self.require(name, scope, connection)
                // Waits for transactions that attach messages in it.
                try connection.execute("SELECT id FROM namespace WHERE id = $1 FOR UPDATE", [.integer(id)])
                let count = try connection.execute(
                    "SELECT count(*) FROM attachment WHERE namespace_id = $1", [.integer(id)])[0].integer(0)
                guard count == 0 else { throw RegistryError.namespaceInUse(attachmentCount: Int(count)) }
                try connection.execute("DELETE FROM namespace WHERE id = $1", [.integer(id)])
            }
        }

        package func register(
            _ beacon: BeaconIdentifier, note: String, project: Int64, limit: Int
        ) async throws -> Registered<Beacon> {
            try await register(project) { connection, now in
                let owner = try connection.execute(
                    "SELECT project_id FROM beacon WHERE kind = $1 AND identifier = $2", Self.parameters(beacon)
                ).first?.integer(0)
                guard owner ?? project == project else { throw RegistryError.beaconTaken }
                if owner == nil {
                    let count = try connection.execute(
                        "SELECT count(*) FROM beacon WHERE project_id = $1", [.integer(project)])[0].integer(0)
                    guard count < limit else { throw RegistryError.tooManyBeacons(limit: limit) }
                }
                let written = try connection.execute(
                    """
                    INSERT INTO beacon (kind, identifier, project_id, note, created_at) VALUES ($1, $2, $3, $4, $5)
                    ON CONFLICT (kind, identifier) DO UPDATE SET note = $4 WHERE beacon.project_id = $3 RETURNING id
                    """,
                    Self.parameters(beacon) + [.integer(project), .text(note), .integer(now.milliseconds)])
                guard !written.isEmpty else { throw RegistryError.beaconTaken }
                return Registered(
                    value: try Self.beacon(Self.require(beacon, .project(project), connection), connection),
                    isNew: owner == nil)
            }
        }

        package func beacons(
            _ scope: RegistryScope, after: BeaconIdentifier?, limit: Int
        ) async throws -> BeaconPage {
            try await perform { connection, _ in
                let rows = try connection.execute(
                    """
                    \(Self.selectBeacon)
                    WHERE ($1::bigint IS NULL OR project_id = $1)
                        AND ($2::text IS NULL OR (kind, identifier) > ($2::text COLLATE "C", $3::bytea))
                    ORDER BY kind, identifier LIMIT $4
                    """,
                    [
                        .optional(scope.project), .optional(after?.kind.rawValue),
                        after.map { .bytes(Data($0.bytes)) } ?? .null, .integer(Int64(limit + 1)),
                    ])
                return BeaconPage(
                    beacons: try rows.prefix(limit).map { try Self.beacon($0, connection) },
                    hasMore: rows.count > limit)
            }
        }

        package func beacon(_ beacon: BeaconIdentifier, _ scope: RegistryScope) async throws -> Beacon {
            try await perform { connection, _ in
                try Self.beacon(Self.require(beacon, scope, connection), connection)
            }
        }

        package func remove(_ beacon: BeaconIdentifier, _ scope: RegistryScope) async throws {
            try await transaction { connection, _ in
                let id = try Self.require(beacon, scope, connection).integer(0)
                try connection.execute("DELETE FROM beacon WHERE id = $1", [.integer(id)])
            }
        }

        package func attach(
            _ attachment: Attachment, to beacon: BeaconIdentifier, _ scope: RegistryScope, limit: Int
        ) async throws -> Registered<Attachment> {
            try await transaction { connection, now in
                let row = try Self.require(beacon, scope, connection)
                let (id, project) = (row.integer(0), row.integer(1))
                // Transactions on one beacon run one after the other, so that the limit holds.
                guard try !connection.execute("SELECT id FROM beacon WHERE id = $1 FOR UPDATE", [.integer(id)]).isEmpty
                else { throw RegistryError.noSuchBeacon }
                let namespace = try Self.namespaceID(attachment.namespace, project: project, connection)
                let present = try Self.attachments(of: id, connection)
                if let same = present.first(where: {
                    ($0.namespace, $0.type, $0.data) == (attachment.namespace, attachment.type, attachment.data)
                }) {
                    return Registered(value: same, isNew: false)
                }
                guard present.count < limit else { throw RegistryError.tooManyAttachments(limit: limit) }
                try connection.execute(
                    """
                    INSERT INTO attachment (identifier, beacon_id, namespace_id, type, created_at, data)
                    VALUES ($1, $2, $3, $4, $5, $6)
                    """,
                    [
                        .text(attachment.identifier), .integer(id), .optional(namespace), .text(attachment.type),
                        .integer(now.milliseconds), .bytes(attachment.data),
                    ])
                return Registered(value: attachment, isNew: true)
            }
        }

        package func detach(_ identifier: String, _ scope: RegistryScope) async throws {
            let removed = try await perform { connection, _ in
                try connection.execute(
                    """
                    DELETE FROM attachment WHERE identifier = $1
                        AND beacon_id IN (SELECT id FROM beacon WHERE $2::bigint IS NULL OR project_id = $2) RETURNING id
                    """, [.text(identifier), .optional(scope.project)])
            }
            guard removed.count == 1 else { throw RegistryError.noSuchAttachment }
        }

        /// A beacon that is not registered costs one search in an index, and so does one of another project; neither
        /// stores anything.
        func lookUp(_ question: LookUp) async throws -> [LookUpResult] {
            try await perform { connection, _ in
                try question.beacons.compactMap { beacon in
                    // Without a namespace, all attachments of the project's own beacons. With one, also those of another
                    // project if it has published the namespace.
                    let rows = try connection.execute(
                        """
                        \(Self.attachmentColumns)
                        FROM beacon JOIN attachment ON beacon_id = beacon.id
                            LEFT JOIN namespace ON namespace.id = namespace_id
                        WHERE kind = $1 AND beacon.identifier = $2
                            AND CASE WHEN $4 = '' THEN beacon.project_id = $3
                                ELSE namespace.name = $4 AND (beacon.project_id = $3 OR is_public) END
                            AND ($5 = '' OR type = $5)
                        ORDER BY attachment.id
                        """,
                        Self.parameters(beacon) + [
                            .integer(question.project), .text(question.filter.namespace), .text(question.filter.type),
                        ])
                    return rows.isEmpty
                        ? nil : LookUpResult(beacon: beacon, attachments: rows.map(Self.attachment))
                }
            }
        }

        /// A transaction that adds to a project. They run one after the other, so that the project's limits hold.
        private func register<Value: Sendable>(
            _ project: Int64, _ body: @escaping @Sendable (PostgresConnection, _ now: Moment) throws -> Value
        ) async throws -> Value {
            try await transaction { connection, now in
                try connection.execute("SELECT pg_advisory_xact_lock(3, $1::integer)", [.integer(project)])
                return try body(connection, now)
            }
        }

        private static let selectNamespace = """
            SELECT namespace.id, namespace.name, project.name, is_public, namespace.created_at
            FROM namespace JOIN project ON project.id = project_id
            """

        private static func namespace(_ row: PostgresRow) -> Namespace {
            Namespace(name: row.text(1), project: row.text(2), isPublic: row.boolean(3), created: row.moment(4))
        }

        private static func namespace(
            _ name: String, _ scope: RegistryScope, _ connection: PostgresConnection
        ) throws -> (id: Int64, value: Namespace)? {
            try connection.execute(
                "\(selectNamespace) WHERE namespace.name = $1 AND ($2::bigint IS NULL OR project_id = $2)",
                [.text(name), .optional(scope.project)]
            ).first.map { ($0.integer(0), namespace($0)) }
        }

        private static func require(
            _ name: String, _ scope: RegistryScope, _ connection: PostgresConnection
        ) throws -> (id: Int64, value: Namespace) {
            guard let found = try namespace(name, scope, connection) else { throw RegistryError.noSuchNamespace }
            return found
        }

        private static func isTaken(_ name: String, _ connection: PostgresConnection) throws -> Bool {
            try !connection.execute("SELECT id FROM namespace WHERE name = $1", [.text(name)]).isEmpty
        }

        private static let selectBeacon = """
            SELECT beacon.id, project_id, kind, identifier, project.name, note, beacon.created_at
            FROM beacon JOIN project ON project.id = project_id
            """

        private static func parameters(_ beacon: BeaconIdentifier) -> [PostgresValue] {
            [.text(beacon.kind.rawValue), .bytes(Data(beacon.bytes))]
        }

        private static func require(
            _ beacon: BeaconIdentifier, _ scope: RegistryScope, _ connection: PostgresConnection
        ) throws -> PostgresRow {
            let rows = try connection.execute(
                "\(selectBeacon) WHERE kind = $1 AND identifier = $2 AND ($3::bigint IS NULL OR project_id = $3)",
                parameters(beacon) + [.optional(scope.project)])
            guard let row = rows.first else { throw RegistryError.noSuchBeacon }
            return row
        }

        private static func beacon(_ row: PostgresRow, _ connection: PostgresConnection) throws -> Beacon {
            guard let kind = BeaconIdentifier.Kind(rawValue: row.text(2)),
                let identifier = BeaconIdentifier(kind, bytes: Array(row.bytes(3)))
            else { throw PostgresError(state: "XX001", message: "a beacon of an unknown kind") }
            return Beacon(
                identifier: identifier, project: row.text(4), note: row.text(5), created: row.moment(6),
                attachments: try attachments(of: row.integer(0), connection))
        }

        private static let attachmentColumns =
            "SELECT attachment.identifier, coalesce(namespace.name, ''), type, data"

        private static func attachments(of beacon: Int64, _ connection: PostgresConnection) throws -> [Attachment] {
            try connection.execute(
                """
                \(attachmentColumns) FROM attachment LEFT JOIN namespace ON namespace.id = namespace_id
                WHERE beacon_id = $1 ORDER BY attachment.id
                """, [.integer(beacon)]
            ).map(attachment)
        }

        private static func attachment(_ row: PostgresRow) -> Attachment {
            Attachment(identifier: row.text(0), namespace: row.text(1), type: row.text(2), data: row.bytes(3))
        }

        private static func namespaceID(
            _ name: String, project: Int64, _ connection: PostgresConnection
        ) throws -> Int64? {
            if name.isEmpty { return nil }
            // Locked, so that it is not removed meanwhile.
            let rows = try connection.execute(
                "SELECT id FROM namespace WHERE name = $1 AND project_id = $2 FOR SHARE",
                [.text(name), .integer(project)])
            guard let row = rows.first else { throw RegistryError.noSuchNamespace }
            return row.integer(0)
        }
    }
#endif
