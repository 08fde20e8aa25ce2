#if Postgres
    import EarshotPostgres
    import FoundationEssentials

    extension PostgresStore {
        func publish(_ order: PublicationOrder) async throws -> Outcome<Publication> {
            let (message, renewal) = (order.message, order.renewal)
            let parameters: [PostgresValue] = [
                .integer(renewal.session.device), .integer(renewal.session.key), .integer(renewal.session.project),
                .text(order.identifier), .optional(order.idempotencyKey), .text(message.namespace), .text(message.type),
                .bytes(message.content), .duration(renewal.timeToLive), .duration(renewal.sessionLifetime),
                .integer(Int64(order.perDevice)), .integer(Int64(order.perKey)), .token(renewal.token),
                .duration(renewal.token.lifetime),
            ]
            let row = try await perform { connection, fixed in
                try connection.execute(
                    "SELECT * FROM publish($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
                    parameters + [fixed])[0]
            }
            try Self.require(row, "publications", perDevice: order.perDevice, perKey: order.perKey)
            let publication = Publication(
                row: row.integer(1), identifier: row.text(2), namespace: message.namespace, type: message.type,
                contentCount: message.content.count, expires: row.moment(3))
            return Outcome(
                value: publication, token: row.token(from: 4), isNew: row.boolean(7), woken: Woken(row, from: 8))
        }

        func publications(of session: Session, now: Moment) async throws -> [Publication] {
            try await perform { connection, fixed in
                try connection.execute(
                    """
                    SELECT id, identifier, namespace, type, content_count, expires_at FROM publication
                    WHERE device_id = $1 AND ended_at IS NULL AND expires_at > moment($2) ORDER BY id
                    """,
                    [.integer(session.device), fixed]
                ).map { row in
                    Publication(
                        row: row.integer(0), identifier: row.text(1), namespace: row.text(2), type: row.text(3),
                        contentCount: Int(row.integer(4)), expires: row.moment(5))
                }
            }
        }

        func renewPublication(
            _ identifier: String, _ renewal: Renewal
        ) async throws -> (Publication, IssuedToken)? {
            let row = try await perform { connection, fixed in
                try connection.execute(
                    "SELECT * FROM renew_publication($1, $2, $3, $4, $5, $6, $7, $8)",
                    Self.parameters(identifier, renewal) + [fixed])[0]
            }
            guard try Self.isThere(row) else { return nil }
            let publication = Publication(
                row: row.integer(1), identifier: identifier, namespace: row.text(2), type: row.text(3),
                contentCount: Int(row.integer(4)), expires: row.moment(5))
            return (publication, row.token(from: 6))
        }

        func unpublish(_ identifier: String, of session: Session) async throws -> Woken? {
            let row = try await perform { connection, fixed in
                try connection.execute(
                    "SELECT * FROM unpublish($1, $2, $3)", [.integer(session.device), .text(identifier), fixed])[0]
            }
            return try Self.isThere(row) ? Woken(row, from: 1) : nil
        }

        func subscribe(_ order: SubscriptionOrder) async throws -> Outcome<Subscription> {
            let renewal = order.renewal
            let parameters: [PostgresValue] = [
                .integer(renewal.session.device), .integer(renewal.session.key), .integer(renewal.session.project),
                .text(order.identifier), .optional(order.idempotencyKey), .text(order.filter.namespace),
                .text(order.filter.type), .duration(renewal.timeToLive), .duration(renewal.sessionLifetime),
                .integer(Int64(order.perDevice)), .integer(Int64(order.perKey)), .token(renewal.token),
                .duration(renewal.token.lifetime),
            ]
            let row = try await perform { connection, fixed in
                try connection.execute(
                    "SELECT * FROM subscribe($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
                    parameters + [fixed])[0]
            }
            try Self.require(row, "subscriptions", perDevice: order.perDevice, perKey: order.perKey)
            let subscription = Subscription(
                row: row.integer(1), identifier: row.text(2), filter: order.filter, expires: row.moment(3))
            return Outcome(
                value: subscription, token: row.token(from: 4), isNew: row.boolean(7), woken: Woken(row, from: 8))
        }

        func subscriptions(of session: Session, now: Moment) async throws -> [Subscription] {
            try await perform { connection, fixed in
                try connection.execute(
                    """
                    SELECT id, identifier, namespace, type, expires_at FROM subscription
                    WHERE device_id = $1 AND expires_at > moment($2) ORDER BY id
                    """,
                    [.integer(session.device), fixed]
                ).map { row in
                    Subscription(
                        row: row.integer(0), identifier: row.text(1),
                        filter: MessageFilter(namespace: row.text(2), type: row.text(3)), expires: row.moment(4))
                }
            }
        }

        func renewSubscription(
            _ identifier: String, _ renewal: Renewal
        ) async throws -> (Subscription, IssuedToken)? {
            let row = try await perform { connection, fixed in
                try connection.execute(
                    "SELECT * FROM renew_subscription($1, $2, $3, $4, $5, $6, $7, $8)",
                    Self.parameters(identifier, renewal) + [fixed])[0]
            }
            guard try Self.isThere(row) else { return nil }
            let subscription = Subscription(
                row: row.integer(1), identifier: identifier,
                filter: MessageFilter(namespace: row.text(2), type: row.text(3)), expires: row.moment(4))
            return (subscription, row.token(from: 5))
        }

        func unsubscribe(_ identifier: String, of session: Session) async throws -> Bool {
            try await perform { connection, fixed in
                try connection.execute(
                    "SELECT unsubscribe($1, $2, $3)", [.integer(session.device), .text(identifier), fixed])[0]
                    .boolean(0)
            }
        }

        private static func parameters(_ identifier: String, _ renewal: Renewal) -> [PostgresValue] {
            [
                .integer(renewal.session.device), .integer(renewal.session.project), .text(identifier),
                .duration(renewal.timeToLive), .duration(renewal.sessionLifetime), .token(renewal.token),
                .duration(renewal.token.lifetime),
            ]
        }

        /// Throws the problem in the first column of an order's answer.
        private static func require(_ row: PostgresRow, _ items: String, perDevice: Int, perKey: Int) throws {
            switch row.optionalText(0) {
            case nil: return
            case "differs": throw Problem.repeatDiffers
            case "device": throw Problem.quota(items, limit: perDevice, per: "device")
            case "key": throw Problem.quota(items, limit: perKey, per: "key")
            default: throw Problem.badSession
            }
        }

        /// Whether the device has the item, by the first column of the answer.
        private static func isThere(_ row: PostgresRow) throws -> Bool {
            switch row.optionalText(0) {
            case nil: return true
            case "none": return false
            default: throw Problem.badSession
            }
        }
    }
#endif
