extension SQLiteStore {
    /// Sightings lie in memory. A report waits for the disk only if it finds or loses a message.
    ///
    /// An unknown token costs a look into a table in memory, and leaves nothing behind.
    func report(_ report: SightingReport) async throws -> SightingAnswer {
        let (answer, isSettled) = try live.withLock { live in
            (try live.record(report, now: clock.now), live.unsettled.isEmpty)
        }
        if isSettled { return answer }
        return SightingAnswer(heard: answer.heard, lost: answer.lost, woken: try await settle { _, _, _ in })
    }

    func endSightings(of devices: [Int64], where isSilent: @escaping @Sendable (Int64) -> Bool) async throws -> Woken {
        let isSettled = live.withLock { live in
            for device in devices where isSilent(device) { live.endSightings(of: device, now: clock.now) }
            return live.unsettled.isEmpty
        }
        return isSettled ? Woken() : try await settle { _, _, _ in }
    }
}
