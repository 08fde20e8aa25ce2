import FoundationEssentials
import GRDB

extension SQLiteStore {
    func report(_ report: SightingReport) async throws -> SightingAnswer {
        try await writes.perform { database, now in
            let device = report.session.device
            var isNew = false
            let heard = try report.heard.map { bytes in
                let token = try Self.token(bytes, project: report.session.project, database, now: now)
                // A device that hears its own echo is not near itself.
                if let token, token.status == .valid, token.device != device {
                    let isNewToken = try Self.hear(token.id, report, database, now: now)
                    isNew = isNewToken || isNew
                }
                return token?.status ?? .invalid
            }
            var isGone = false
            let lost = try report.lost.map { bytes in
                let token = try Self.token(bytes, project: report.session.project, database, now: now)
                if let token {
                    try database.run(
                        "DELETE FROM sighting WHERE device_id = ? AND token_id = ?", [device, token.id])
                    isGone = isGone || database.changesCount > 0
                }
                return token?.status ?? .invalid
            }
            let woken = isNew || isGone ? try Self.settle(device, database, now: now) : Woken()
            return SightingAnswer(heard: heard, lost: lost, woken: woken)
        }
    }

    /// Records that a device hears a token; returns whether that is new.
    private static func hear(_ token: Int64, _ report: SightingReport, _ database: Database, now: Moment) throws -> Bool
    {
        let device = report.session.device
        let isKnown = try database.count(
            "SELECT count(*) FROM sighting WHERE device_id = ? AND token_id = ? AND expires_at > ?",
            [device, token, now])
        if isKnown == 0 {
            let count = try database.count("SELECT count(*) FROM sighting WHERE device_id = ?", [device])
            guard count < report.perDevice else {
                throw Problem.quota("sightings", limit: report.perDevice, per: "device")
            }
        }
        try database.run(
            "INSERT OR REPLACE INTO sighting (device_id, token_id, expires_at) VALUES (?, ?, ?)",
            [device, token, now + report.lifetime])
        return isKnown == 0
    }
}
