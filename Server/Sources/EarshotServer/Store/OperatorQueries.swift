/// A device with a session, as the operator sees it.
package struct DeviceRecord: Sendable, Equatable {
    package let identifier: String
    package let project: String
    package let key: Int64
    package let expires: Moment
    package let publications: Int64
    package let subscriptions: Int64
}

/// A publication, as the operator sees it: without its content.
package struct PublicationRecord: Sendable, Equatable {
    package let identifier: String
    package let project: String
    package let device: String
    package let namespace: String
    package let type: String
    package let contentCount: Int64
    package let expires: Moment
}

/// What the operator ends, by its public identifier.
package enum EndedItem: Sendable, Equatable {
    case device(String)
    case publication(String)

    var identifier: String {
        switch self {
        case .device(let identifier), .publication(let identifier): identifier
        }
    }

    /// The column of the table `ending`, and the table of the item.
    var table: String {
        switch self {
        case .device: "device"
        case .publication: "publication"
        }
    }
}

/// What the operator wants ended. A command of its own writes it into the table `ending`; the service that has the item in memory ends it.
struct Endings: Sendable {
    var devices: Set<String> = []
    var publications: Set<String> = []

    var isEmpty: Bool { devices.isEmpty && publications.isEmpty }

    mutating func insert(device: String?, publication: String?) {
        if let device { devices.insert(device) }
        if let publication { publications.insert(publication) }
    }
}

extension Live {
    /// Lets the next sweep end these items. Their requests are refused from now on. Cost: the number of devices.
    mutating func end(_ endings: Endings) {
        guard !endings.isEmpty else { return }
        let past = Moment(milliseconds: 0)
        for (row, device) in devices where endings.devices.contains(device.identifier) {
            devices[row]?.expires = past
            deviceEnds.set(row, at: past)
        }
        for row in endings.publications.compactMap({ offerRows[$0] }) {
            offers[row]?.expires = past
            offerEnds.set(row, at: past)
        }
    }
}

/// The statements of the operator's commands, in the SQL that both databases understand.
enum OperatorQueries {
    /// Identifier, project, key, end, publications, subscriptions; oldest first. `$1` is the name of a project, or null for all.
    static let devices = """
        SELECT device.identifier, project.name, device.key_id, device.expires_at, coalesce(publications.number, 0),
            coalesce(subscriptions.number, 0)
        FROM device JOIN project ON project.id = device.project_id
            LEFT JOIN (SELECT device_id, count(*) AS number FROM publication WHERE ended_at IS NULL GROUP BY device_id)
                AS publications ON publications.device_id = device.id
            LEFT JOIN (SELECT device_id, count(*) AS number FROM subscription GROUP BY device_id)
                AS subscriptions ON subscriptions.device_id = device.id
        WHERE CAST($1 AS text) IS NULL OR project.name = CAST($1 AS text) ORDER BY device.id
        """

    /// Identifier, project, device, namespace, type, size, end; oldest first. `$1` as above.
    static let publications = """
        SELECT publication.identifier, project.name, device.identifier, namespace, type, content_count,
            publication.expires_at
        FROM publication JOIN project ON project.id = publication.project_id JOIN device ON device.id = device_id
        WHERE ended_at IS NULL AND (CAST($1 AS text) IS NULL OR project.name = CAST($1 AS text)) ORDER BY publication.id
        """

    /// Deletes the endings that have been carried out.
    static let forgetEndings = """
        DELETE FROM ending
        WHERE (device IS NULL OR device NOT IN (SELECT identifier FROM device))
            AND (publication IS NULL OR publication NOT IN (SELECT identifier FROM publication WHERE ended_at IS NULL))
        """

    /// What must never be: a sentence, and the number of rows of which it is true.
    static let contradictions: [(sentence: String, sql: String)] = [
        (
            "devices belong to no key of their project",
            """
            SELECT count(*) FROM device WHERE NOT EXISTS (SELECT 1 FROM api_key
                WHERE api_key.id = device.key_id AND api_key.project_id = device.project_id)
            """
        ),
        (
            "publications belong to no device of their project",
            """
            SELECT count(*) FROM publication WHERE ended_at IS NULL AND NOT EXISTS (SELECT 1 FROM device
                WHERE device.id = publication.device_id AND device.project_id = publication.project_id)
            """
        ),
        (
            "subscriptions belong to no device of their project",
            """
            SELECT count(*) FROM subscription WHERE NOT EXISTS (SELECT 1 FROM device
                WHERE device.id = subscription.device_id AND device.project_id = subscription.project_id)
            """
        ),
        (
            "deliveries belong to no subscription of their device",
            """
            SELECT count(*) FROM delivery WHERE NOT EXISTS (SELECT 1 FROM subscription
                WHERE subscription.id = delivery.subscription_id AND subscription.device_id = delivery.device_id)
            """
        ),
        (
            "deliveries belong to no publication",
            """
            SELECT count(*) FROM delivery
            WHERE NOT EXISTS (SELECT 1 FROM publication WHERE publication.id = delivery.publication_id)
            """
        ),
        (
            "deliveries have a number that their device has not reached",
            """
            SELECT count(*) FROM delivery JOIN device ON device.id = device_id
            WHERE delivery.sequence > device.sequence
            """
        ),
        (
            "contents have another size than their row says",
            "SELECT count(*) FROM publication WHERE length(content) <> content_count"
        ),
        (
            "tokens are of two projects",
            """
            SELECT count(*) FROM token JOIN publication ON publication.id = publication_id
            WHERE token.project_id <> publication.project_id
            """
        ),
    ]

    /// The tables whose rows a check counts.
    static let counted = ["project", "api_key", "device", "publication", "subscription", "beacon"]
}

/// What a check of the database found.
package struct Inspection: Sendable, Equatable {
    /// The numbers of rows, by table.
    package var counts: [(table: String, count: Int64)] = []
    /// Sentences; none if all is well.
    package var problems: [String] = []

    /// The same counts and problems.
    package static func == (a: Self, b: Self) -> Bool {
        a.problems == b.problems && a.counts.map(\.table) == b.counts.map(\.table)
            && a.counts.map(\.count) == b.counts.map(\.count)
    }
}

extension Administration {
    /// Waits until the service has ended an item that `endings` names, for some seconds.
    /// - Parameters:
    ///   - order: writes the order, as often as it is called.
    ///   - isAlive: whether the item still has a row.
    /// - Returns: false if no service did.
    func awaitEnd(order: () async throws -> Void, isAlive: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<5 {
            // A request that was under way may have prolonged it, so the order is given again.
            try await order()
            for _ in 0..<20 {
                guard try await isAlive() else { return true }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        return try await !isAlive()
    }

    /// The reason why there is nothing to end.
    func unknown(_ item: EndedItem) -> AdministrationError {
        AdministrationError(
            description: "There is no \(item.table) '\(item.identifier)'; 'earshotd \(item.table) list' shows them all."
        )
    }
}
