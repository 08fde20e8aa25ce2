import FoundationEssentials

extension Live {
    /// Records what a device reports. The pairs that it changes wait in `unsettled`.
    /// - Throws: `Problem` if the device hears too much; then nothing has changed.
    mutating func record(_ report: SightingReport, now: Moment) throws -> SightingAnswer {
        let device = report.session.device
        let heard = report.heard.map { known($0.bytes, report, now: now) }
        let lost = report.lost.map { known($0, report, now: now) }
        var present = devices[device]?.heard ?? [:]
        let countBefore = present.count
        var changed: [Int64] = []
        for (token, heard) in zip(heard, report.heard) {
            // A device that hears its own echo is not near itself.
            guard let token, token.status == .valid, token.device != device else { continue }
            let expires = now + (report.lifetime - heard.age)
            guard expires > now else { continue }
            let before = present[token.row]?.expires
            if before == nil, present.count >= report.perDevice {
                throw Problem.quota("sightings", limit: report.perDevice, per: "device")
            }
            if before.map({ $0 <= now }) ?? true { changed.append(token.row) }
            // A late report does not shorten a sighting.
            present[token.row] = Sighting(
                expires: max(before ?? expires, expires), medium: heard.medium,
                rssiDecibelMilliwatts: heard.rssiDecibelMilliwatts)
        }
        // A session may end between its check and this.
        if devices[device] != nil {
            for row in changed { hearers[row, default: []].insert(device) }
            devices[device]?.heard = present
            sightingCount += present.count - countBefore
            if let first = present.values.map(\.expires).min() { sightingEnds.advance(device, to: first) }
            for case .some(let token) in lost {
                removeSighting(of: token.row, by: device)
                changed.append(token.row)
            }
            let touched = changed.flatMap { pairs(device, $0) }
            // The device has said itself what it hears.
            if !assumed.isEmpty { assumed.subtract(touched) }
            touch(touched, now: now)
        }
        return SightingAnswer(
            heard: heard.map { $0?.status ?? .invalid }, lost: lost.map { $0?.status ?? .invalid }, woken: Woken())
    }

    private func known(
        _ bytes: Data, _ report: SightingReport, now: Moment
    ) -> (row: Int64, device: Int64, status: TokenStatus)? {
        guard let name = TokenName(bytes, project: report.session.project), let row = tokenRows[name],
            let token = tokens[row]
        else { return nil }
        return (row, token.device, status(token, now: now))
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
