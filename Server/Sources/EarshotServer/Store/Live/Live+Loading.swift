import FoundationEssentials
import GRDB

extension Live {
    /// Reads all rows but the contents, and keeps the sightings of `old`, if its tokens and devices are still there, and the
    /// notes of what is not committed yet.
    /// - Parameter isRestart: whether this is the first reading. What was near then counts as near for a while.
    init(_ database: Database, keeping old: Live = Live(), isRestart: Bool, now: Moment) throws {
        try load(devices: database)
        try load(items: database)
        for row in try database.rows(
            "SELECT subscription_id, publication_id, is_found, sequence, changed_at FROM delivery")
        {
            let pair = Pair(publication: row[1], subscription: row[0])
            insert(Delivery(sequence: row[3], isFound: row[2], changed: row[4]), of: pair)
        }
        let found = deliveries.filter(\.value.isFound).map(\.key)
        assumed = isRestart ? Set(found) : old.assumed.intersection(found)
        assumedUntil = old.assumedUntil
        for (device, heard) in old.devices.mapValues(\.heard) where devices[device] != nil {
            for (token, sighting) in heard where tokens[token] != nil {
                devices[device]?.heard[token] = sighting
                hearers[token, default: []].insert(device)
                sightingCount += 1
                sightingEnds.advance(device, to: sighting.expires)
            }
        }
        uncommitted.formUnion(old.uncommitted)
        ending = old.ending
        // The refused change may have been one of what is near.
        touch(found, now: now)
        for (token, devices) in hearers { touch(devices.flatMap { pairs($0, token) }, now: now) }
    }

    private mutating func load(devices database: Database) throws {
        revokedKeys = Set(try database.integers("SELECT id FROM api_key WHERE revoked_at IS NOT NULL"))
        var origins: [Int64: AllowedOrigins] = [:]
        for row in try database.rows("SELECT id, origins FROM api_key WHERE origins IS NOT NULL") {
            origins[row[0]] = AllowedOrigins(stored: row[1])
        }
        for row in try database.rows(
            "SELECT id, identifier, key_id, project_id, hash, expires_at, sequence FROM device")
        {
            let key: Int64 = row[2]
            insert(
                row[0],
                Device(
                    identifier: row[1], key: key, project: row[3], hash: row[4], origins: origins[key],
                    expires: row[5], sequence: row[6]))
        }
        endRevoked(revokedKeys)
    }

    private mutating func load(items database: Database) throws {
        for row in try database.rows(
            """
            SELECT id, identifier, namespace, type, content_count, expires_at, device_id, project_id, idempotency_key,
                ended_at FROM publication
            """)
        {
            let publication = Publication(
                row: row[0], identifier: row[1], namespace: row[2], type: row[3], contentCount: row[4],
                expires: row[5])
            let ended: Moment? = row[9]
            insert(
                Offer(
                    publication: publication, device: row[6], project: row[7], order: row[8],
                    expires: publication.expires, ended: ended))
            if let ended { offersToForget.set(publication.row, at: ended) }
        }
        for row in try database.rows(
            """
            SELECT id, identifier, namespace, type, expires_at, device_id, project_id, idempotency_key
            FROM subscription
            """)
        {
            let subscription = Subscription(
                row: row[0], identifier: row[1], filter: MessageFilter(namespace: row[2], type: row[3]),
                expires: row[4])
            insert(
                Wish(
                    subscription: subscription, device: row[5], project: row[6], order: row[7],
                    expires: subscription.expires))
        }
        for row in try database.rows(
            """
            SELECT id, project_id, bytes, device_id, publication_id, subscription_id, issued_at, expires_at
            FROM token ORDER BY id
            """)
        {
            guard let name = TokenName(row[2], project: row[1]) else { continue }
            let (publication, subscription): (Int64?, Int64?) = (row[4], row[5])
            // Tokens of deleted items are known as expired.
            let binding = publication.map(TokenBinding.publication) ?? .subscription(subscription ?? 0)
            insert(row[0], Token(name: name, device: row[3], binding: binding, issued: row[6], expires: row[7]))
        }
    }

    /// Lets the next sweep end the devices of revoked keys.
    mutating func endRevoked(_ revoked: Set<Int64>) {
        for key in revoked {
            for device in keys[key]?.devices ?? [] { deviceEnds.set(device, at: Moment(milliseconds: 0)) }
        }
        revokedKeys = revoked
    }

    /// Shortens sightings and assumptions that lie further ahead than a new report could: the calendar was set back.
    mutating func bound(_ limits: ServiceLimits, now: Moment) {
        let latest = now + limits.sightingLifetime
        assumedUntil = latest
        for device in devices.keys {
            for (token, sighting) in devices[device]?.heard ?? [:] where sighting.expires > latest {
                devices[device]?.heard[token]?.expires = latest
                sightingEnds.advance(device, to: latest)
            }
        }
    }
}
