#if Postgres
    import EarshotPostgres
    import FoundationEssentials

    extension PostgresStore {
        func openSession(_ order: SessionOrder) async throws -> Session {
            let holder = order.holder
            let row = try await perform { connection, fixed in
                try connection.execute(
                    "SELECT * FROM open_session($1, $2, $3, $4, $5, $6, $7)",
                    [
                        .integer(holder.key), .integer(holder.project), .text(order.identifier), .bytes(order.hash),
                        .duration(order.lifetime), .integer(Int64(order.devicesPerKey)), fixed,
                    ]
                ).first
            }
            guard let row else { throw Problem.quota("devices", limit: order.devicesPerKey, per: "key") }
            return Session(
                device: row.integer(0), identifier: order.identifier, key: holder.key, project: holder.project,
                origins: holder.origins, expires: row.moment(1))
        }

        func session(hash: Data, now: Moment) async throws -> Session? {
            try await perform { connection, fixed in
                try connection.execute(
                    """
                    SELECT device.id, identifier, key_id, device.project_id, expires_at, origins
                    FROM device JOIN api_key ON api_key.id = key_id
                    WHERE device.hash = $1 AND expires_at > moment($2) AND revoked_at IS NULL
                    """,
                    [.bytes(hash), fixed]
                ).first.map { row in
                    Session(
                        device: row.integer(0), identifier: row.text(1), key: row.integer(2), project: row.integer(3),
                        origins: row.origins(5), expires: row.moment(4))
                }
            }
        }

        func endSession(_ session: Session) async throws -> Woken {
            try await perform { connection, fixed in
                Woken(
                    try connection.execute("SELECT * FROM end_session($1, $2)", [.integer(session.device), fixed])[0],
                    from: 0)
            }
        }

        func position(of session: Session, after cursor: Int64?, now: Moment) async throws -> StreamPosition? {
            try await perform { connection, fixed in
                try connection.execute(
                    """
                    SELECT sequence, forgotten FROM device JOIN api_key ON api_key.id = key_id
                    WHERE device.id = $1 AND expires_at > moment($2) AND revoked_at IS NULL
                    """,
                    [.integer(session.device), fixed]
                ).first.map { row in
                    let (last, forgotten) = (row.integer(0), row.integer(1))
                    return StreamPosition(isResumed: cursor.map { $0 >= forgotten && $0 <= last } ?? false, last: last)
                }
            }
        }

        func changes(of session: Session, _ query: ChangeQuery) async throws -> ChangePage {
            try await perform { connection, _ in
                let changes = try connection.execute(
                    """
                    SELECT delivery.sequence, is_found, subscription.identifier, publication.identifier,
                        publication.namespace, publication.type, content
                    FROM delivery
                    JOIN subscription ON subscription.id = subscription_id
                    JOIN publication ON publication.id = publication_id
                    WHERE delivery.device_id = $1 AND delivery.sequence > $2 AND delivery.sequence <= $3
                        AND (is_found OR NOT $4)
                    ORDER BY delivery.sequence LIMIT $5
                    """,
                    [
                        .integer(session.device), .integer(query.after), .integer(query.through),
                        .boolean(query.isFoundOnly), .integer(Int64(query.limit)),
                    ]
                ).map { row in
                    Change(
                        sequence: row.integer(0), isFound: row.boolean(1), subscription: row.text(2),
                        publication: row.text(3),
                        message: Message(namespace: row.text(4), type: row.text(5), content: row.bytes(6)))
                }
                return ChangePage(
                    changes: changes, cursor: changes.last?.sequence ?? query.after,
                    isFull: changes.count == query.limit)
            }
        }
    }

    extension PostgresValue {
        static func duration(_ duration: Duration) -> Self { .integer(duration.milliseconds) }

        static func token(_ offer: TokenOffer) -> Self { .integer(TokenNumber.number(offer.bytes) ?? 0) }
    }

    extension PostgresRow {
        func moment(_ column: Int) -> Moment { Moment(milliseconds: integer(column)) }

        /// The origins of a browser key; nil of another.
        func origins(_ column: Int) -> AllowedOrigins? { optionalText(column).map(AllowedOrigins.init(stored:)) }

        /// The token in three columns.
        func token(from column: Int) -> IssuedToken {
            IssuedToken(
                bytes: TokenNumber.bytes(integer(column)), issued: moment(column + 1), expires: moment(column + 2))
        }
    }

    extension Woken {
        /// From three columns: the devices, and the numbers of messages found and lost. Nothing, if they are null.
        init(_ row: PostgresRow, from column: Int) {
            self.init(
                devices: Set(row.integers(column)), found: Int(row.optionalInteger(column + 1) ?? 0),
                lost: Int(row.optionalInteger(column + 2) ?? 0))
        }
    }

    /// The bytes of a token as the database keeps them: a number, big end first.
    enum TokenNumber {
        /// Nil for bytes of another count: they are no token.
        static func number(_ bytes: Data) -> Int64? {
            guard bytes.count == 8 else { return nil }
            return Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }

        static func bytes(_ number: Int64) -> Data {
            let number = UInt64(bitPattern: number)
            return Data((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
        }
    }
#endif
