import FoundationEssentials
import GRDB

/// The publication or subscription of a token.
enum TokenBinding: Sendable, Equatable {
    case publication(Int64)
    case subscription(Int64)
}

/// A reported token, as the store knows it.
struct KnownToken {
    let id: Int64
    let device: Int64
    let status: TokenStatus
}

extension SQLiteStore {
    /// The current token of a publication or subscription, or the offered one once the current one is half its life
    /// old.
    static func issue(
        _ offer: TokenOffer, for binding: TokenBinding, _ session: Session, _ database: Database, now: Moment
    ) throws -> IssuedToken {
        let (column, row) =
            switch binding {
            case .publication(let row): ("publication_id", row)
            case .subscription(let row): ("subscription_id", row)
            }
        let present = try database.row(
            "SELECT bytes, issued_at, expires_at FROM token WHERE \(column) = ? ORDER BY id DESC LIMIT 1", [row])
        if let present {
            let issued: Moment = present["issued_at"]
            if issued + offer.lifetime / 2 > now {
                return IssuedToken(bytes: present["bytes"], issued: issued, expires: present["expires_at"])
            }
        }
        let token = IssuedToken(bytes: offer.bytes, issued: now, expires: now + offer.lifetime)
        try database.run(
            """
            INSERT INTO token (project_id, bytes, device_id, \(column), issued_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [session.project, token.bytes, session.device, row, token.issued, token.expires])
        return token
    }

    /// The token's record in a project; nil if it was never issued there, even if another project has the same bytes.
    static func token(_ bytes: Data, project: Int64, _ database: Database, now: Moment) throws -> KnownToken? {
        try database.row(
            """
            SELECT token.id, token.device_id,
                token.expires_at > :now AND (
                    (publication.id IS NOT NULL AND publication.ended_at IS NULL AND publication.expires_at > :now)
                    OR subscription.expires_at > :now
                ) AS is_alive
            FROM token
            LEFT JOIN publication ON publication.id = token.publication_id
            LEFT JOIN subscription ON subscription.id = token.subscription_id
            WHERE token.project_id = :project AND token.bytes = :bytes
            """,
            ["now": now, "project": project, "bytes": bytes]
        ).map { row in
            let isAlive: Bool? = row["is_alive"]
            return KnownToken(
                id: row["id"], device: row["device_id"], status: isAlive == true ? .valid : .expired)
        }
    }
}
