extension Engine {
    /// Records a device's report. It waits for the disk only if a message is found or lost.
    ///
    /// An unknown token costs one look-up in memory and stores nothing.
    func report(_ report: SightingReport) async throws -> SightingAnswer {
        let now = clock.now
        // Note the report before it takes effect, so that a sweep at the same time does not end its sightings.
        presence.note(report.session.device, now: now)
        let recorded = try live.withLock { live -> (SightingAnswer, isUnsettled: Bool)? in
            try live.awaitsCommit(report) ? nil : live.record(report, now: now)
        }
        guard let (answer, isUnsettled) = recorded else {
            return try await change { live, changes, now in
                let (answer, _) = try live.record(report, now: now)
                live.settle(&changes, now: now)
                return answer.waking(changes.woken)
            }
        }
        return isUnsettled ? answer.waking(try await settle()) : answer
    }

    /// Ends the sightings of the devices that are still silent when the change's turn comes.
    func endSightings(of devices: [Int64], where isSilent: @escaping @Sendable (Int64) -> Bool) async throws -> Woken {
        let isSettled = live.withLock { live in
            for device in devices where isSilent(device) { live.endSightings(of: device, now: clock.now) }
            return live.unsettled.isEmpty
        }
        return isSettled ? Woken() : try await settle()
    }
}

extension SightingAnswer {
    fileprivate func waking(_ woken: Woken) -> SightingAnswer {
        SightingAnswer(heard: heard, lost: lost, woken: woken)
    }
}
