import EarshotBasics

/// The session with the service, shared by all operations.
extension Exchange {
    /// The open session. If there is none, this opens one and waits for it.
    /// - Returns: nil if no operation needs a session any more.
    func currentSession() async -> ServiceSession? {
        if let session { return session }
        let opening = opening ?? Task { await open() }
        self.opening = opening
        return await opening.value
    }

    private func open() async -> ServiceSession? {
        try? await Task.sleep(for: sessionPause)
        sessionPause = .zero
        var backOff = BackOff(configuration.backOff)
        while !Task.isCancelled {
            let failure: ServiceFailure
            do throws(ServiceFailure) {
                let opened = try await service.openSession()
                // No operation needs the session any more. It is empty and expires by itself.
                if Task.isCancelled { return nil }
                session = opened
                opening = nil
                board.end(for: .session)
                board.end(for: .formerRequests)
                note("session opened")
                refreshBeaconSubscriptions()
                return opened
            } catch { failure = error }
            if Task.isCancelled { return nil }
            board.replace(failure.problem, for: .session)
            for number in entries.keys { entries[number]?.hasFailed = true }
            plan()
            try? await Task.sleep(for: backOff.spreadPause(retryAfter: failure.retryAfter))
        }
        return nil
    }

    /// The service accepted a request of this session.
    func succeeded(in session: ServiceSession, _ source: ProblemBoard.Source) {
        board.end(for: source)
        board.end(for: .formerRequests)
        guard session == self.session else { return }
        sessionBackOff.reset()
    }

    /// The service no longer knows the session: all operations register again in a new one.
    func lost(_ lost: ServiceSession) {
        guard session == lost else { return }
        note("session ended; opening a new one")
        session = nil
        // Without this pause, a service that opens sessions but accepts none would be asked in a tight loop.
        sessionPause = sessionBackOff.spreadPause()
        reporter.forget(now: now)
        lastEventID = nil
        strayEvents = []
        for number in entries.keys {
            entries[number]?.lease = nil
            entries[number]?.found.doubt(until: now + configuration.pace.doubt)
            if entries[number]?.worker != nil { restartWorker(number) }
            refresh(number)
        }
        reading?.cancel()
        reading = nil
        updateLoops()
        plan()
        scheduleDoubt()
        wakeLookUps()
    }

    /// Ends the session at the service, and all registrations in it.
    func endSession() async {
        guard let session else { return }
        self.session = nil
        var backOff = BackOff(configuration.backOff)
        for _ in 0..<5 {
            do throws(ServiceFailure) { return try await service.end(session) } catch {
                if error.isBadSession { return }
                try? await Task.sleep(for: backOff.spreadPause(retryAfter: error.retryAfter))
            }
        }
        note("cannot end the session at the service; its registrations expire by themselves")
    }
}
