#if Postgres
    import EarshotPostgres
    import FoundationEssentials

    extension RowChanges {
        var isEmpty: Bool {
            openedDevices.isEmpty && madePublications.isEmpty && madeSubscriptions.isEmpty && issuedTokens.isEmpty
                && deviceEnds.isEmpty && publicationEnds.isEmpty && subscriptionEnds.isEmpty && delivered.isEmpty
                && sequences.isEmpty && endedPublications.isEmpty && deletedPublications.isEmpty
                && deletedSubscriptions.isEmpty && deletedDevices.isEmpty && deletedTokens.isEmpty
                && deletedDeliveries.isEmpty && forgotten.isEmpty
        }

        /// Adds the changes of a later turn.
        mutating func append(_ later: RowChanges) {
            openedDevices += later.openedDevices
            madePublications += later.madePublications
            madeSubscriptions += later.madeSubscriptions
            issuedTokens += later.issuedTokens
            deviceEnds.merge(later.deviceEnds) { $1 }
            publicationEnds.merge(later.publicationEnds) { $1 }
            subscriptionEnds.merge(later.subscriptionEnds) { $1 }
            delivered += later.delivered
            sequences.merge(later.sequences) { $1 }
            endedPublications += later.endedPublications
            deletedPublications += later.deletedPublications
            deletedSubscriptions += later.deletedSubscriptions
            deletedDevices += later.deletedDevices
            deletedTokens += later.deletedTokens
            deletedDeliveries += later.deletedDeliveries
            forgotten.merge(later.forgotten) { $1 }
        }

        /// Writes the rows, table by table: first insertions, then updates, then deletions. A row is created once,
        /// changes only after that, and does not return, so this order has the same result as the separate turns.
        func write(_ connection: PostgresConnection, project: Int64) throws {
            try insert(connection, project: project)
            for (table, column, values) in [
                ("device", "expires_at", deviceEnds.mapValues(\.milliseconds)),
                ("publication", "expires_at", publicationEnds.mapValues(\.milliseconds)),
                ("subscription", "expires_at", subscriptionEnds.mapValues(\.milliseconds)),
                ("device", "sequence", sequences), ("device", "forgotten", forgotten),
                (
                    "publication", "ended_at",
                    Dictionary(endedPublications.map { ($0.row, $0.at.milliseconds) }) { $1 }
                ),
            ] where !values.isEmpty {
                try connection.execute(
                    """
                    UPDATE \(table) SET \(column) = value FROM unnest($1::bigint[], $2::bigint[]) AS new (number, value)
                    WHERE id = number
                    """, [.integers(Array(values.keys)), .integers(Array(values.values))])
            }
            let ended =
                deletedDeliveries
                + delivered.compactMap { delivered in delivered.replaced.map { (delivered.device, $0) } }
            if !ended.isEmpty {
                try connection.execute(
                    """
                    DELETE FROM delivery USING unnest($1::bigint[], $2::bigint[]) AS old (device, number)
                    WHERE device_id = device AND sequence = number
                    """, [.integers(ended.map(\.device)), .integers(ended.map(\.sequence))])
            }
            for (table, rows) in [
                ("publication", deletedPublications), ("subscription", deletedSubscriptions),
                ("token", deletedTokens), ("device", deletedDevices),
            ] where !rows.isEmpty {
                try connection.execute("DELETE FROM \(table) WHERE id = ANY($1)", [.integers(rows)])
            }
        }

        private func insert(_ connection: PostgresConnection, project: Int64) throws {
            if !openedDevices.isEmpty {
                try connection.execute(
                    """
                    INSERT INTO device (id, identifier, key_id, project_id, hash, expires_at, sequence, forgotten)
                    SELECT id, identifier, key, $1, hash, expires, 0, 0
                    FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bytea[], $6::bigint[])
                        AS new (id, identifier, key, hash, expires)
                    """,
                    [
                        .integer(project), .integers(openedDevices.map(\.row)),
                        .texts(openedDevices.map(\.device.identifier)), .integers(openedDevices.map(\.device.key)),
                        .manyBytes(openedDevices.map(\.device.hash)),
                        .integers(openedDevices.map(\.device.expires.milliseconds)),
                    ])
            }
            if !madePublications.isEmpty {
                let offers = madePublications.map(\.offer)
                try connection.execute(
                    """
                    INSERT INTO publication (id, identifier, device_id, project_id, idempotency_key, namespace, type, expires_at,
                        content_count, content)
                    SELECT id, identifier, device, $1, repeat_key, namespace, type, expires, octet_length(content), content
                    FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bigint[],
                        $9::bytea[]) AS new (id, identifier, device, repeat_key, namespace, type, expires, content)
                    """,
                    [
                        .integer(project), .integers(offers.map(\.publication.row)),
                        .texts(offers.map(\.publication.identifier)), .integers(offers.map(\.device)),
                        .texts(offers.map(\.order)), .texts(offers.map(\.publication.namespace)),
                        .texts(offers.map(\.publication.type)), .integers(offers.map(\.expires.milliseconds)),
                        .manyBytes(madePublications.map(\.content)),
                    ])
            }
            if !madeSubscriptions.isEmpty {
                let wishes = madeSubscriptions
                try connection.execute(
                    """
                    INSERT INTO subscription (id, identifier, device_id, project_id, idempotency_key, namespace, type, expires_at)
                    SELECT id, identifier, device, $1, repeat_key, namespace, type, expires
                    FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bigint[])
                        AS new (id, identifier, device, repeat_key, namespace, type, expires)
                    """,
                    [
                        .integer(project), .integers(wishes.map(\.subscription.row)),
                        .texts(wishes.map(\.subscription.identifier)), .integers(wishes.map(\.device)),
                        .texts(wishes.map(\.order)), .texts(wishes.map(\.subscription.filter.namespace)),
                        .texts(wishes.map(\.subscription.filter.type)), .integers(wishes.map(\.expires.milliseconds)),
                    ])
            }
            if !issuedTokens.isEmpty {
                let tokens = issuedTokens.map(\.token)
                try connection.execute(
                    """
                    INSERT INTO token (id, project_id, bytes, device_id, publication_id, subscription_id, issued_at, expires_at,
                        wrapped_key)
                    SELECT id, $1, bytes, device, publication, subscription, issued, expires, wrapped_key
                    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
                        $9::bytea[]) AS new (id, bytes, device, publication, subscription, issued, expires, wrapped_key)
                    """,
                    [
                        .integer(project), .integers(issuedTokens.map(\.row)),
                        .integers(tokens.map { Int64(bitPattern: $0.name.bytes) }), .integers(tokens.map(\.device)),
                        .integers(tokens.map(\.binding.columns.publication)),
                        .integers(tokens.map(\.binding.columns.subscription)),
                        .integers(tokens.map(\.issued.milliseconds)), .integers(tokens.map(\.expires.milliseconds)),
                        .manyBytes(tokens.map(\.key)),
                    ])
            }
            if !delivered.isEmpty {
                try connection.execute(
                    """
                    INSERT INTO delivery (device_id, sequence, subscription_id, publication_id, is_found, changed_at)
                    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[], $6::bigint[])
                    """,
                    [
                        .integers(delivered.map(\.device)), .integers(delivered.map(\.delivery.sequence)),
                        .integers(delivered.map(\.pair.subscription)), .integers(delivered.map(\.pair.publication)),
                        .booleans(delivered.map(\.delivery.isFound)),
                        .integers(delivered.map(\.delivery.changed.milliseconds)),
                    ])
            }
        }
    }

    extension Endings {
        init(_ connection: PostgresConnection) throws {
            for row in try connection.execute("SELECT device, publication FROM ending") {
                insert(device: row.optionalText(0), publication: row.optionalText(1))
            }
        }
    }

    extension LiveRows {
        /// Reads the rows of a project.
        init(_ connection: PostgresConnection, project: Int64) throws {
            func rows(_ columns: String, _ table: String, _ end: String = "") throws -> [PostgresRow] {
                try connection.execute(
                    "SELECT \(columns) FROM \(table) WHERE project_id = $1 \(end)", [.integer(project)])
            }
            endings = try Endings(connection)
            var origins: [Int64: AllowedOrigins] = [:]
            for row in try rows("id, origins, revoked_at", "api_key") {
                origins[row.integer(0)] = row.origins(1)
                if !row.isNull(2) { revokedKeys.insert(row.integer(0)) }
            }
            let salt = try connection.execute("SELECT salt FROM project WHERE id = $1", [.integer(project)])
                .first?.optionalBytes(0)
            devices = try rows("id, identifier, key_id, hash, expires_at, sequence, forgotten", "device").map { row in
                let key = row.integer(2)
                return (
                    row.integer(0),
                    Live.Device(
                        identifier: row.text(1), key: key, project: project, hash: row.bytes(3), origins: origins[key],
                        salt: salt, expires: row.moment(4), sequence: row.integer(5), forgotten: row.integer(6))
                )
            }
            offers = try rows(
                "id, identifier, namespace, type, content_count, expires_at, device_id, idempotency_key, ended_at",
                "publication"
            ).map { row in
                let publication = Publication(
                    row: row.integer(0), identifier: row.text(1), namespace: row.text(2), type: row.text(3),
                    contentCount: Int(row.integer(4)), expires: row.moment(5))
                return Live.Offer(
                    publication: publication, device: row.integer(6), project: project, order: row.optionalText(7),
                    expires: publication.expires,
                    ended: row.optionalInteger(8).map(Moment.init(milliseconds:)))
            }
            wishes = try rows("id, identifier, namespace, type, expires_at, device_id, idempotency_key", "subscription")
                .map { row in
                    let subscription = Subscription(
                        row: row.integer(0), identifier: row.text(1),
                        filter: MessageFilter(namespace: row.text(2), type: row.text(3)), expires: row.moment(4))
                    return Live.Wish(
                        subscription: subscription, device: row.integer(5), project: project,
                        order: row.optionalText(6), expires: subscription.expires)
                }
            tokens = try rows(
                "id, bytes, device_id, publication_id, subscription_id, issued_at, expires_at, wrapped_key", "token",
                "ORDER BY id"
            ).map { row in
                let token = Live.Token(
                    name: Live.TokenName(UInt64(bitPattern: row.integer(1)), project: project), device: row.integer(2),
                    binding: TokenBinding(publication: row.optionalInteger(3), subscription: row.optionalInteger(4)),
                    issued: row.moment(5), expires: row.moment(6), key: row.optionalBytes(7))
                return (row.integer(0), token)
            }
            deliveries = try connection.execute(
                """
                SELECT subscription_id, publication_id, is_found, delivery.sequence, changed_at
                FROM device JOIN delivery ON delivery.device_id = device.id WHERE project_id = $1
                """, [.integer(project)]
            ).map { row in
                (
                    Pair(publication: row.integer(1), subscription: row.integer(0)),
                    Live.Delivery(sequence: row.integer(3), isFound: row.boolean(2), changed: row.moment(4))
                )
            }
        }

        /// The same, with times shortened that are later than the limits allow, because the clock was set back since
        /// they were stored. The rows do not change, and every later reading shortens them again.
        func bounded(_ limits: ServiceLimits, now: Moment) -> LiveRows {
            var rows = self
            for index in rows.devices.indices {
                rows.devices[index].device.expires = min(devices[index].device.expires, now + limits.sessionLifetime)
            }
            for index in rows.offers.indices {
                rows.offers[index].expires = min(offers[index].expires, now + limits.maximumTimeToLive)
                rows.offers[index].ended = offers[index].ended.map { min($0, now) }
            }
            for index in rows.wishes.indices {
                rows.wishes[index].expires = min(wishes[index].expires, now + limits.maximumTimeToLive)
            }
            rows.tokens = tokens.map { row, token in
                let (issued, expires) = (min(token.issued, now), min(token.expires, now + limits.tokenLifetime))
                return (
                    row,
                    Live.Token(
                        name: token.name, device: token.device, binding: token.binding, issued: issued,
                        expires: expires,
                        key: token.key)
                )
            }
            rows.deliveries = deliveries.map { pair, delivery in
                (
                    pair,
                    Live.Delivery(
                        sequence: delivery.sequence, isFound: delivery.isFound, changed: min(delivery.changed, now))
                )
            }
            return rows
        }
    }

    extension PostgresRow {
        func moment(_ column: Int) -> Moment { Moment(milliseconds: integer(column)) }

        /// The origins of a browser key; nil for other keys.
        func origins(_ column: Int) -> AllowedOrigins? { optionalText(column).map(AllowedOrigins.init(stored:)) }
    }

    extension Problem {
        /// The result of `body`, or the problem that clients get if the database cannot be asked.
        static func orAway<Value>(_ body: () async throws -> Value) async throws -> Value {
            do {
                return try await body()
            } catch is PostgresPool.Away {
                throw Problem.storeAway
            } catch is PostgresPool.Full {
                throw Problem.overloaded
            } catch let error as PostgresError where error.isTimeout {
                // It waited too long and had no effect.
                throw Problem.overloaded
            }
        }
    }
#endif
