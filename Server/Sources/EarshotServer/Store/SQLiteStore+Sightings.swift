extension SQLiteStore {
    /// Sightings lie in memory. A report waits for the disk only if it finds or loses a message.
    ///
    /// An unknown token costs a look into a table in memory, and leaves nothing behind.
    func report(_ report: SightingReport) async throws -> SightingAnswer {
        let now = clock.now
        // Before the report takes effect, so that a sweep at the same time does not end its sightings.
        presence.note(report.session.device, now: now)
        let recorded = try live.withLock { live -> (SightingAnswer, isUnsettled: Bool)? in
            try live.awaitsCommit(report) ? nil : live.record(report, now: now)
        }
        guard let (answer, isUnsettled) = recorded else {
            return try await change { [live] database, now in
                let (answer, changes) = try live.withLock { live in
                    let (answer, _) = try live.record(report, now: now)
                    var changes = RowChanges()
                    live.settle(&changes, now: now)
                    return (answer, changes)
                }
                return answer.waking(try Self.write(changes, database))
            }
        }
        return isUnsettled ? answer.waking(try await settle { _, _, _ in }) : answer
    }

    /// Ends the sightings of those of the devices that are still silent when the write's turn comes.
    func endSightings(of devices: [Int64], where isSilent: @escaping @Sendable (Int64) -> Bool) async throws -> Woken {
        let isSettled = live.withLock { live in
            for device in devices where isSilent(device) { live.endSightings(of: device, now: clock.now) }
            return live.unsettled.isEmpty
        }
        return isSettled ? Woken() : try await settle { _, _, _ in }
    }
}

extension SightingAnswer {
    fileprivate func waking(_ woken: Woken) -> SightingAnswer {
        SightingAnswer(heard: heard, lost: lost, woken: woken)
    }
}
