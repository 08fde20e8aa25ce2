import EarshotBasics

/// The session with the service, which all operations share. While a session is needed, it tries to open one until it
/// succeeds.
actor SessionLink {
    private enum State {
        case closed
        case opening(Task<Void, Never>)
        case open(ServiceSession)
    }

    private let access: ServiceAccess
    private var state = State.closed
    /// The pauses between sessions that the service forgets at once.
    private var backOff: BackOff
    private var pause = Duration.zero

    init(_ access: ServiceAccess) {
        self.access = access
        backOff = BackOff(access.backOff)
    }

    /// Opens a session if one is needed. An open session stays open.
    func set(isNeeded: Bool) {
        switch state {
        case .closed where isNeeded: state = .opening(Task { await open() })
        case .opening(let task) where !isNeeded:
            task.cancel()
            state = .closed
            access.board.leave(.session)
        case .closed, .opening, .open: break
        }
    }

    private func open() async {
        try? await access.timeline.sleep(pause)
        pause = .zero
        var backOff = BackOff(access.backOff)
        while !Task.isCancelled {
            let failure: ServiceFailure
            do throws(ServiceFailure) {
                let session = try await access.service.openSession()
                // No operation needs the session any longer. It is empty, and expires on its own.
                if Task.isCancelled { return }
                state = .open(session)
                access.succeeded(.session)
                access.note("session opened")
                return access.tell(.opened(session))
            } catch { failure = error }
            if Task.isCancelled { return }
            access.board.replace(failure.problem, for: .session)
            access.tell(.unopened)
            try? await access.timeline.sleep(backOff.spreadPause(retryAfter: failure.retryAfter))
        }
    }

    /// A request in the session succeeded.
    func worked(in session: ServiceSession) {
        if case .open(session) = state { backOff.reset() }
    }

    /// The service no longer knows the session.
    func lost(_ session: ServiceSession) {
        guard case .open(session) = state else { return }
        access.note("session ended; opening a new one")
        state = .closed
        // Without this pause, a service that opens sessions but accepts none would be asked in a tight loop.
        pause = backOff.spreadPause()
    }

    /// Ends the session at the service, and all registrations in it.
    func end() async {
        defer { state = .closed }
        guard case .open(let session) = state else { return set(isNeeded: false) }
        var backOff = BackOff(access.backOff)
        for _ in 0..<5 {
            do throws(ServiceFailure) { return try await access.service.end(session) } catch {
                if error.isBadSession { return }
                try? await access.timeline.sleep(backOff.spreadPause(retryAfter: error.retryAfter))
            }
        }
        access.note("cannot end the session at the service; its registrations expire by themselves")
    }
}
