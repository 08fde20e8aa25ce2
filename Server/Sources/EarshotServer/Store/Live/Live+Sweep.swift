extension Live {
    /// The maximum number of items of each kind in one sweep, so that no write waits long for it. The next sweep
    /// continues.
    private static let maximumSweep = 500

    /// Whether a sweep has anything to do.
    func isSweepDue(_ now: Moment, memory: Duration) -> Bool {
        let then = now - memory
        return !unsettled.isEmpty || (!assumed.isEmpty && assumedUntil <= now) || deviceEnds.isDue(now)
            || offerEnds.isDue(now) || wishEnds.isDue(now) || sightingEnds.isDue(now) || tokensToForget.isDue(then)
            || offersToForget.isDue(then) || lossesToForget.isDue(then)
    }

    /// Ends expired items, and forgets those that ended longer ago than `memory`.
    mutating func sweep(_ now: Moment, memory: Duration) -> RowChanges {
        var changes = RowChanges()
        for row in Self.takeDue(now, from: &deviceEnds, &changes) {
            guard let device = devices[row] else { continue }
            if device.expires <= now || revokedKeys.contains(device.key) {
                endDevice(row, &changes, now: now)
            } else {
                deviceEnds.set(row, at: device.expires)
            }
        }
        for row in Self.takeDue(now, from: &offerEnds, &changes) {
            guard let expires = offers[row]?.expires else { continue }
            if expires <= now { endOffer(row, &changes, now: now) } else { offerEnds.set(row, at: expires) }
        }
        for row in Self.takeDue(now, from: &wishEnds, &changes) {
            guard let expires = wishes[row]?.expires else { continue }
            if expires <= now { endWish(row, &changes) } else { wishEnds.set(row, at: expires) }
        }
        for device in Self.takeDue(now, from: &sightingEnds, &changes) {
            endExpiredSightings(of: device, now: now)
        }
        if assumedUntil <= now {
            let doubtful = assumed
            assumed = []
            touch(doubtful, now: now)
        }
        settle(&changes, now: now)
        forget(before: now - memory, &changes)
        return changes
    }

    /// Takes the due items of a schedule, and records whether they reached the limit.
    private static func takeDue<Item: Hashable & Sendable>(
        _ moment: Moment, from schedule: inout Schedule<Item>, _ changes: inout RowChanges
    ) -> [Item] {
        let due = schedule.takeDue(moment, limit: maximumSweep)
        if due.count == maximumSweep { changes.isLimited = true }
        return due
    }

    /// Deletes items that ended before `then`.
    private mutating func forget(before then: Moment, _ changes: inout RowChanges) {
        for pair in Self.takeDue(then, from: &lossesToForget, &changes) {
            guard let delivery = deliveries[pair], let device = wishes[pair.subscription]?.device else { continue }
            guard delivery.changed < then else {
                lossesToForget.set(pair, at: delivery.changed)
                continue
            }
            remove(pair)
            changes.deletedDeliveries.append((device, delivery.sequence))
            // A stream that stopped before this change cannot resume there.
            let forgotten = max(devices[device]?.forgotten ?? 0, delivery.sequence)
            devices[device]?.forgotten = forgotten
            changes.forgotten[device] = forgotten
        }
        for row in offersToForget.takeDue(then, limit: Self.maximumSweep) {
            guard let offer = offers[row], let ended = offer.ended else { continue }
            if ended < then, offer.subscriptions.isEmpty {
                offers[row] = nil
                changes.deletedPublications.append(row)
            } else {
                offersToForget.set(row, at: ended)
            }
        }
        // Publications that a subscription still has stay due. Only deletions let the sweep continue; otherwise it
        // would never end.
        if changes.deletedPublications.count == Self.maximumSweep { changes.isLimited = true }
        for row in Self.takeDue(then, from: &tokensToForget, &changes) {
            guard let token = tokens[row] else { continue }
            guard token.expires < then else {
                tokensToForget.set(row, at: token.expires)
                continue
            }
            for device in hearers[row] ?? [] { removeSighting(of: row, by: device) }
            tokens[row] = nil
            tokenRows[token.name] = nil
            switch token.binding {
            case .publication(let offer): offers[offer]?.tokens.removeAll { $0 == row }
            case .subscription(let wish): wishes[wish]?.tokens.removeAll { $0 == row }
            }
            changes.deletedTokens.append(row)
        }
    }
}
