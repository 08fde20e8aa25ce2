/// The rows of live items in a log, without contents.
struct LiveRows: Sendable {
    var devices: [(row: Int64, device: Live.Device)] = []
    /// Includes ended ones: their subscribers may not have read the loss yet.
    var offers: [Live.Offer] = []
    var wishes: [Live.Wish] = []
    /// Oldest first.
    var tokens: [(row: Int64, token: Live.Token)] = []
    var deliveries: [(pair: Pair, delivery: Live.Delivery)] = []
    var revokedKeys: Set<Int64> = []
    var endings = Endings()
}

extension Live {
    /// Builds memory from the rows. From `old` it keeps the sightings whose tokens and devices have rows, and the
    /// devices with uncommitted changes.
    /// - Parameters:
    ///   - firstRow: the minimum number of a new row.
    ///   - isRestart: whether this is the first reading. Then the messages that were near count as near for a while.
    init(_ rows: LiveRows, keeping old: Live = Live(), firstRow: Int64 = 1, isRestart: Bool, now: Moment) {
        reserve(row: firstRow - 1)
        for (row, device) in rows.devices { insert(row, device) }
        endRevoked(rows.revokedKeys)
        for offer in rows.offers {
            insert(offer)
            if let ended = offer.ended { offersToForget.set(offer.publication.row, at: ended) }
        }
        for wish in rows.wishes { insert(wish) }
        for (row, token) in rows.tokens { insert(row, token) }
        for (pair, delivery) in rows.deliveries { insert(delivery, of: pair) }
        end(rows.endings)
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
        // The refused change may have concerned pairs that are near.
        touch(found, now: now)
        for (token, devices) in hearers { touch(devices.flatMap { pairs($0, token) }, now: now) }
    }

    /// Lets the next sweep end the devices of revoked keys.
    mutating func endRevoked(_ revoked: Set<Int64>) {
        for key in revoked {
            for device in keys[key]?.devices ?? [] { deviceEnds.set(device, at: Moment(milliseconds: 0)) }
        }
        revokedKeys = revoked
    }

    /// Shortens sightings and assumptions that end later than those of a new report would, because the calendar was set
    /// back.
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
