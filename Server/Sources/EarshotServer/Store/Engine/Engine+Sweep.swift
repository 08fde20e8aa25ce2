extension Engine {
    /// The maximum number of devices that fall silent in one sweep, so that no change waits long for it.
    private static let maximumSilent = 500

    /// Ends due items, up to a limited number of each kind.
    /// - Parameter isUrgent: whether to take a turn even if nothing is due.
    func sweep(_ limits: ServiceLimits, isUrgent: Bool) async throws -> Swept {
        let silence = try await endSilence(limits.silence)
        let ended = try await sweep(memory: limits.memory, isUrgent: isUrgent)
        return Swept(woken: silence.woken + ended.woken, hasMore: silence.hasMore || ended.hasMore)
    }

    private func endSilence(_ silence: Duration) async throws -> Swept {
        let then = clock.now - silence
        let silent = presence.silent(since: then, limit: Self.maximumSilent)
        guard !silent.isEmpty else { return Swept() }
        let woken = try await endSightings(of: silent) { [presence] in presence.isSilent($0, since: then) }
        presence.forget(silent, since: then)
        return Swept(woken: woken, hasMore: silent.count == Self.maximumSilent)
    }

    private func sweep(memory: Duration, isUrgent: Bool) async throws -> Swept {
        let isDue = live.withLock { $0.isSweepDue(clock.now, memory: memory) }
        guard isDue || isUrgent else { return Swept() }
        return try await change { live, changes, now in
            changes = live.sweep(now, memory: memory)
            return Swept(woken: changes.woken, hasMore: changes.isLimited)
        }
    }
}
