import EarshotBasics

/// Reads the service's events, over one connection after another.
struct EventDesk {
    /// A connection that lasted this long resets the back-off.
    private static let goodConnection = Duration.seconds(5)

    private let access: ServiceAccess
    private var reading: (session: ServiceSession, task: Task<Void, Never>)?

    init(_ access: ServiceAccess) { self.access = access }

    /// - Parameters:
    ///   - isNeeded: whether any subscription is registered or about to be.
    ///   - session: the session whose events to read; nil while there is none.
    mutating func set(isNeeded: Bool, in session: ServiceSession?) {
        let session = isNeeded ? session : nil
        if !isNeeded { access.board.leave(.reading) }
        guard session != reading?.session else { return }
        reading?.task.cancel()
        reading = session.map { session in (session, Task { [access] in await Self.read(in: session, access) }) }
    }

    private static func read(in session: ServiceSession, _ access: ServiceAccess) async {
        var backOff = BackOff(access.backOff)
        var lastEventID: String?
        while !Task.isCancelled {
            let begin = access.timeline.now
            var failure: ServiceFailure?
            do {
                for try await event in access.service.events(in: session, after: lastEventID) {
                    if Task.isCancelled { return }
                    switch event {
                    case .ready(let isResumed):
                        access.succeeded(.reading)
                        if !isResumed { lastEventID = nil }
                    case .found(_, _, _, let eventID), .lost(_, _, let eventID): lastEventID = eventID ?? lastEventID
                    case .end, .quiet: break
                    }
                    access.tell(.event(event, session))
                }
            } catch {
                failure = error as? ServiceFailure ?? .unreachable("the event stream failed")
            }
            if Task.isCancelled { return }
            access.tell(.streamEnded(session))
            if failure?.isBadSession == true { return access.tell(.lost(session)) }
            if access.timeline.now - begin >= goodConnection { backOff.reset() }
            if let failure { access.board.replace(failure.problem, for: .reading) }
            try? await access.timeline.sleep(backOff.spreadPause(retryAfter: failure?.retryAfter))
        }
    }
}
