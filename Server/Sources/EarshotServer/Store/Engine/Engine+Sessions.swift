import FoundationEssentials

extension Engine {
    func openSession(_ order: SessionOrder) async throws -> Session {
        try await change { live, changes, now in
            let holder = order.holder
            guard live.keys[holder.key]?.devices.count ?? 0 < order.devicesPerKey else {
                throw Problem.quota("devices", limit: order.devicesPerKey, per: "key")
            }
            let row = live.newRow()
            let device = Live.Device(
                identifier: order.identifier, key: holder.key, project: holder.project, hash: order.hash,
                origins: holder.origins, salt: holder.salt, expires: now + order.lifetime, sequence: 0)
            live.insert(row, device)
            changes.openedDevices.append((row, device))
            return Session(
                device: row, identifier: device.identifier, key: device.key, project: device.project,
                origins: device.origins, expires: device.expires, salt: device.salt)
        }
    }

    /// The session with this hash; nil if it is unknown or has ended. If the session is ending, the call waits for its
    /// end.
    func session(hash: Data, now: Moment) async throws -> Session? {
        let (session, isEnding) = live.withLock { ($0.session(hash: hash, now: now), $0.ending.contains(hash)) }
        guard isEnding else { return session }
        return try await log.afterChanges { [live] now in live.withLock { $0.session(hash: hash, now: now) } }
    }

    /// Ends the session, with all its publications and subscriptions.
    func endSession(_ session: Session) async throws -> Woken {
        try await settle { live, changes, now in live.endDevice(session.device, &changes, now: now) }
    }
}
