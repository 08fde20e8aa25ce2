import EarshotBasics

/// The service, and the state that all links to it share.
struct ServiceAccess: Sendable {
    let service: any MessageService
    let board: ProblemBoard
    let backOff: BackOff.Bounds
    let pace: MessageManager.Pace
    let timeline: Timeline
    let note: @Sendable (String) -> Void
    let tell: @Sendable (ServiceNews) -> Void

    /// The service accepted a request.
    func succeeded(_ source: ProblemBoard.Source) {
        board.end(for: source)
        board.end(for: .formerRequests)
    }
}

/// Events of the links to the service. Registrations have the numbers of their runs.
enum ServiceNews: Sendable {
    case opened(ServiceSession)
    /// No session could be opened; the link tries again.
    case unopened
    /// The service no longer knows the session.
    case lost(ServiceSession)
    case registered(Int, Lease, ServiceSession)
    /// A request for a registration failed, and will be repeated.
    case unregistered(Int, isGone: Bool, ServiceSession)
    /// The service will never accept the registration.
    case refused(Int, ServiceFailure)
    /// It accepted a report.
    case reported(ServiceSession)
    case lookedUp(ServiceSession)
    case event(ServiceEvent, ServiceSession)
    case streamEnded(ServiceSession)

    /// The session in which a request succeeded; nil for an event without success.
    var provenSession: ServiceSession? {
        switch self {
        case .registered(_, _, let session), .reported(let session), .lookedUp(let session),
            .event(.ready, let session):
            session
        default: nil
        }
    }
}

/// The pause of a link after failed requests.
struct Retry: Sendable {
    private var backOff: BackOff
    /// No request is sent before this time.
    private(set) var date = Duration.zero

    init(_ bounds: BackOff.Bounds) { backOff = BackOff(bounds) }

    mutating func reset() {
        backOff.reset()
        date = .zero
    }

    mutating func failed(_ failure: ServiceFailure, now: Duration) {
        date = now + backOff.spreadPause(retryAfter: failure.retryAfter)
    }
}
