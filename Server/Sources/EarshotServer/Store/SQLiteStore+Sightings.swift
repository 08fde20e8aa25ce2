import FoundationEssentials
import GRDB

extension SQLiteStore {
    /// Only known tokens take a turn at writing: unknown ones are looked up beside the writer, and leave nothing behind.
    ///
    /// No token becomes known between the look-up and the write: a token is on the disk before its device can play it.
    func report(_ report: SightingReport) async throws -> SightingAnswer {
        let known = try await known(report)
        if known.isEmpty {
            return SightingAnswer(
                heard: report.heard.map { _ in .invalid }, lost: report.lost.map { _ in .invalid }, woken: Woken())
        }
        return try await writes.perform { database, now in
            let device = report.session.device
            var isNew = false
            let heard = try report.heard.map { heard in
                guard known.contains(heard.bytes) else { return TokenStatus.invalid }
                let token = try Self.token(heard.bytes, project: report.session.project, database, now: now)
                // A device that hears its own echo is not near itself.
                if let token, token.status == .valid, token.device != device {
                    let isNewToken = try Self.hear(token.id, heard, report, database, now: now)
                    isNew = isNewToken || isNew
                }
                return token?.status ?? .invalid
            }
            var isGone = false
            let lost = try report.lost.map { bytes in
                guard known.contains(bytes) else { return TokenStatus.invalid }
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

    func hearers() async throws -> [Int64] {
        try await pool.read { try $0.integers("SELECT DISTINCT device_id FROM sighting") }
    }

    func endSightings(of devices: [Int64], where isSilent: @escaping @Sendable (Int64) -> Bool) async throws -> Woken {
        try await writes.perform { database, now in
            var woken = Woken()
            for device in devices where isSilent(device) {
                try database.run("DELETE FROM sighting WHERE device_id = ?", [device])
                if database.changesCount > 0 { woken = woken + (try Self.settle(device, database, now: now)) }
            }
            return woken
        }
    }

    /// The reported tokens that were issued in the reporter's project, whether they are still alive or not.
    private func known(_ report: SightingReport) async throws -> Set<Data> {
        try await pool.read { database in
            try Set(report.heard.map(\.bytes) + report.lost).filter { bytes in
                try database.count(
                    "SELECT count(*) FROM token WHERE project_id = ? AND bytes = ?", [report.session.project, bytes])
                    > 0
            }
        }
    }

    /// Records that a device hears a token; returns whether that is new. The sighting expires so much earlier as the token was
    /// heard earlier; a late report does not shorten one that is there.
    private static func hear(
        _ token: Int64, _ heard: HeardToken, _ report: SightingReport, _ database: Database, now: Moment
    ) throws -> Bool {
        let device = report.session.device
        let expires = now + (report.lifetime - heard.age)
        guard expires > now else { return false }
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
            """
            INSERT INTO sighting (device_id, token_id, expires_at, medium, rssi_dbm) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (device_id, token_id) DO UPDATE SET expires_at = max(expires_at, excluded.expires_at),
                medium = excluded.medium, rssi_dbm = excluded.rssi_dbm
            """,
            [device, token, expires, heard.medium, heard.rssiDecibelMilliwatts])
        return isKnown == 0
    }
}
