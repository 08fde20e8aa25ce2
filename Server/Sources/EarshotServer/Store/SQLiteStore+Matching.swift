import GRDB

/// A message and a subscription that match.
private struct Pair: Hashable, Comparable {
    let publication: Int64
    let subscription: Int64
    /// The device of the subscription.
    let device: Int64

    init(_ row: Row) {
        publication = row["publication_id"]
        subscription = row["subscription_id"]
        device = row["device_id"]
    }

    static func < (a: Pair, b: Pair) -> Bool {
        (a.publication, a.subscription) < (b.publication, b.subscription)
    }
}

/// The match of messages and subscriptions.
///
/// A publication P of device A and a subscription S of device B match while
/// - both are alive, of one project, and A is not B,
/// - S selects P: the same namespace, and the same type or none, and
/// - they are near: B hears a token of P, or A hears a token of S.
extension SQLiteStore {
    // The tokens that the device hears, and the devices that hear the device.
    private static let near = """
        WITH seen AS (
            SELECT sighting.device_id AS hearer, token.publication_id, token.subscription_id
            FROM sighting JOIN token ON token.id = sighting.token_id
            WHERE sighting.device_id = :device AND sighting.expires_at > :now
            UNION ALL
            SELECT sighting.device_id, token.publication_id, token.subscription_id
            FROM token JOIN sighting ON sighting.token_id = token.id
            WHERE token.device_id = :device AND sighting.expires_at > :now
        ), pair AS (
            SELECT seen.publication_id, s.id AS subscription_id
            FROM seen JOIN subscription s ON s.device_id = seen.hearer WHERE seen.publication_id IS NOT NULL
            UNION
            SELECT p.id, seen.subscription_id
            FROM seen JOIN publication p ON p.device_id = seen.hearer AND p.ended_at IS NULL
            WHERE seen.subscription_id IS NOT NULL
        )
        SELECT p.id AS publication_id, s.id AS subscription_id, s.device_id
        FROM pair JOIN publication p ON p.id = pair.publication_id JOIN subscription s ON s.id = pair.subscription_id
        WHERE p.ended_at IS NULL AND p.expires_at > :now AND s.expires_at > :now
            AND p.project_id = s.project_id AND p.device_id <> s.device_id
            AND p.namespace = s.namespace AND s.type IN ('', p.type)
        """

    private static let found = """
        SELECT publication_id, subscription_id, device_id FROM delivery WHERE is_found AND device_id = :device
        UNION
        SELECT delivery.publication_id, subscription_id, delivery.device_id
        FROM publication JOIN delivery ON delivery.publication_id = publication.id
        WHERE publication.device_id = :device AND is_found
        """

    /// Updates the deliveries to and from a device to the current matches.
    ///
    /// Cost: grows with the number of devices that it hears or that hear it, and with nothing else.
    static func settle(_ device: Int64, _ database: Database, now: Moment) throws -> Woken {
        let wanted = Set(try database.rows(near, ["device": device, "now": now]).map(Pair.init))
        let present = Set(try database.rows(found, ["device": device]).map(Pair.init))
        var woken = Woken()
        for pair in wanted.subtracting(present).sorted() {
            try note(pair, isFound: true, database, now: now)
            woken.found += 1
            woken.devices.insert(pair.device)
        }
        for pair in present.subtracting(wanted).sorted() {
            try note(pair, isFound: false, database, now: now)
            woken.lost += 1
            woken.devices.insert(pair.device)
        }
        return woken
    }

    private static func note(_ pair: Pair, isFound: Bool, _ database: Database, now: Moment) throws {
        try database.run("UPDATE device SET sequence = sequence + 1 WHERE id = ?", [pair.device])
        try database.run(
            """
            INSERT OR REPLACE INTO delivery
                (subscription_id, publication_id, device_id, is_found, sequence, changed_at)
            SELECT ?, ?, id, ?, sequence, ? FROM device WHERE id = ?
            """,
            [pair.subscription, pair.publication, isFound, now, pair.device])
    }
}
