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

    /// Contradictions to look for: a sentence, and a query for the number of rows to which it applies.
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

extension Inspection {
    /// Looks for contradictions and counts rows.
    /// - Parameter count: the number that a statement returns.
    mutating func look(_ count: (_ sql: String) throws -> Int64) rethrows {
        for (sentence, sql) in OperatorQueries.contradictions {
            let number = try count(sql)
            if number > 0 { problems.append("\(number) \(sentence)") }
        }
        for table in OperatorQueries.counted { counts.append((table, try count("SELECT count(*) FROM \(table)"))) }
    }
}
