import FoundationEssentials
import NearbyWire

extension Live {
    /// Whether the answer to a report depends on a change that is not on the disk yet.
    func awaitsCommit(_ report: SightingReport) -> Bool {
        guard !uncommitted.isEmpty else { return false }
        func awaits(_ bytes: Data) -> Bool {
            TokenName(bytes, project: report.session.project).flatMap { tokenRows[$0] }.flatMap { tokens[$0] }
                .map { uncommitted.contains($0.device) } ?? false
        }
        return report.heard.contains { awaits($0.bytes) } || report.lost.contains(where: awaits)
    }

    /// Records a device's report. The pairs that it changes wait in `unsettled`.
    /// - Returns: the answer, and whether any pair waits because of this report.
    /// - Throws: `Problem` if the device hears too much; then nothing has changed.
    mutating func record(_ report: SightingReport, now: Moment) throws -> (SightingAnswer, isUnsettled: Bool) {
        let device = report.session.device
        let heard = report.heard.map { known($0.bytes, report, now: now) }
        let lost = report.lost.map { known($0, report, now: now) }
        var sightings: [(token: Int64, sighting: Sighting)] = []
        for (token, heard) in zip(heard, report.heard) {
            // A device may hear its own token.
            guard let token, token.status == .valid, token.device != device else { continue }
            let expires = now + (report.lifetime - heard.age)
            guard expires > now else { continue }
            sightings.append((token.row, Sighting(expires: expires)))
        }
        try requireSightingRoom(for: sightings.map { $0.token }, report)
        var isUnsettled = false
        // The session may have ended since it was checked.
        if devices[device] != nil {
            var changed = sightings.compactMap { addSighting($1, of: $0, by: device, now: now) ? $0 : nil }
            for case .some(let token) in lost {
                removeSighting(of: token.row, by: device)
                changed.append(token.row)
            }
            changed += addKeys(report)
            let touched = changed.flatMap { pairs(device, $0) }
            // The device has now reported what it hears.
            if !assumed.isEmpty { assumed.subtract(touched) }
            isUnsettled = touch(touched, now: now)
        }
        let answer = SightingAnswer(
            heard: heard.map { $0?.status ?? .invalid }, lost: lost.map { $0?.status ?? .invalid }, woken: Woken())
        return (answer, isUnsettled)
    }

    /// Stores the keys of the device's publications with the tokens that it hears. Other keys are ignored.
    /// - Returns: the tokens with new keys.
    private mutating func addKeys(_ report: SightingReport) -> [Int64] {
        let (device, project) = (report.session.device, report.session.project)
        var changed: [Int64] = []
        for key in report.keys {
            guard let publication = offerRows[key.publication], offers[publication]?.device == device,
                let token = TokenName(key.token, project: project).flatMap({ tokenRows[$0] }),
                let sighting = devices[device]?.heard[token], sighting.keys[publication] != key.key
            else { continue }
            devices[device]?.heard[token]?.keys[publication] = key.key
            changed.append(token)
        }
        return changed
    }

    private func known(
        _ bytes: Data, _ report: SightingReport, now: Moment
    ) -> (row: Int64, device: Int64, status: TokenStatus)? {
        guard let name = TokenName(bytes, project: report.session.project), let row = tokenRows[name],
            let token = tokens[row]
        else { return nil }
        return (row, token.device, status(token, now: now))
    }

    private func requireSightingRoom(for tokens: [Int64], _ report: SightingReport) throws {
        let heard = devices[report.session.device]?.heard ?? [:]
        // Most reports have no new token.
        guard let first = tokens.firstIndex(where: { heard[$0] == nil }) else { return }
        let added = Set(tokens[first...].filter { heard[$0] == nil })
        guard heard.count + added.count <= report.perDevice else {
            throw Problem.quota("sightings", limit: report.perDevice, per: "device")
        }
    }

    /// Adds or prolongs a sighting.
    /// - Returns: whether the device did not hear the token before.
    private mutating func addSighting(
        _ sighting: Sighting, of token: Int64, by device: Int64, now: Moment
    ) -> Bool {
        let old = devices[device]?.heard[token]
        let before = old?.expires
        var sighting = sighting
        sighting.keys = old?.keys ?? [:]
        // A late report does not shorten a sighting.
        if let before { sighting.expires = max(before, sighting.expires) } else { sightingCount += 1 }
        devices[device]?.heard[token] = sighting
        sightingEnds.advance(device, to: sighting.expires)
        guard before.map({ $0 <= now }) ?? true else { return false }
        hearers[token, default: []].insert(device)
        return true
    }

    mutating func removeSighting(of token: Int64, by device: Int64) {
        guard devices[device]?.heard.removeValue(forKey: token) != nil else { return }
        sightingCount -= 1
        hearers[token]?.remove(device)
        if hearers[token]?.isEmpty == true { hearers[token] = nil }
    }

    /// Ends all sightings of a device.
    mutating func endSightings(of device: Int64, now: Moment) {
        endSightings(Array((devices[device]?.heard ?? [:]).keys), of: device, now: now)
        sightingEnds.remove(device)
    }

    /// Ends the sightings of a device that have expired.
    mutating func endExpiredSightings(of device: Int64, now: Moment) {
        guard let heard = devices[device]?.heard else { return }
        endSightings(heard.filter { $0.value.expires <= now }.map(\.key), of: device, now: now)
        if let next = devices[device]?.heard.values.map(\.expires).min() { sightingEnds.set(device, at: next) }
    }

    private mutating func endSightings(_ tokens: [Int64], of device: Int64, now: Moment) {
        for token in tokens { removeSighting(of: token, by: device) }
        touch(tokens.flatMap { pairs(device, $0) }, now: now)
    }
}
