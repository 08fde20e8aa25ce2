import Synchronization

/// A call that waits for its answer. It is answered once, by the answer, the end of the connection or the end of the
/// task, whichever comes first.
final class DBusTicket: Sendable {
    typealias Answer = Result<[DBusValue], DBusError>

    private enum State {
        case new
        case waiting(CheckedContinuation<Answer, Never>)
        case answered(Answer)
    }

    private let state = Mutex(State.new)

    /// Whether the call has been answered.
    var isAnswered: Bool {
        state.withLock { if case .answered = $0 { true } else { false } }
    }

    func wait(_ continuation: CheckedContinuation<Answer, Never>) {
        let answer = state.withLock { state -> Answer? in
            if case .answered(let answer) = state { return answer }
            state = .waiting(continuation)
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }

    func answer(_ answer: Answer) {
        let continuation = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            switch state {
            case .new:
                state = .answered(answer)
                return nil
            case .waiting(let continuation):
                state = .answered(answer)
                return continuation
            case .answered: return nil
            }
        }
        continuation?.resume(returning: answer)
    }
}
