/// The session with the service, which all operations share.
extension Exchange {
    /// The session there is, or a new one as soon as the service gives one.
    /// - Returns: nil where nobody needs it any more.
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
                // Nobody needs it any more. It has nothing in it, and ends by itself.
                if Task.isCancelled { return nil }
                session = opened
                opening = nil
                board.end(for: .session)
                note("session opened")
                return opened
            } catch { failure = error }
            if Task.isCancelled { return nil }
            board.replace(failure.problem, for: .session)
            for number in entries.keys { entries[number]?.hasFailed = true }
            plan()
            try? await Task.sleep(for: backOff.pause(retryAfter: failure.retryAfter))
        }
        return nil
    }

    /// The service took a request of this session.
    func succeeded(in session: ServiceSession, _ source: ProblemBoard.Source) {
        board.end(for: source)
        guard session == self.session else { return }
        sessionBackOff.reset()
    }

    /// The service does not know the session any more: all is published and subscribed again in a new one.
    func lost(_ lost: ServiceSession) {
        guard session == lost else { return }
        note("session over; opening another")
        session = nil
        // A service that gives sessions and takes none is not asked without a pause.
        sessionPause = sessionBackOff.pause()
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
    }

    /// Ends the session, and with it all that is published and subscribed.
    func endSession() async {
        guard let session else { return }
        self.session = nil
        var backOff = BackOff(configuration.backOff)
        for _ in 0..<5 {
            do throws(ServiceFailure) { return try await service.end(session) } catch {
                if error.isBadSession { return }
                try? await Task.sleep(for: backOff.pause(retryAfter: error.retryAfter))
            }
        }
        note("the service was not told of the end; what was published there ends by itself")
    }
}
