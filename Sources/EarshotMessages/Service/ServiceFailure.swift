/// Why a request to the service failed.
package enum ServiceFailure: Error, Sendable, Hashable {
    /// No answer, or not in time; the text says what failed, without a secret.
    case unreachable(String)
    /// The service refuses.
    case refused(status: Int, code: String, retryAfter: Duration?)
    /// Whatever answers is no service of ours, or a broken one; the text says how.
    case nonsense(String)

    /// The session is over, whatever for.
    package static let badSession = ServiceFailure.refused(status: 401, code: "bad_session", retryAfter: nil)

    var isBadSession: Bool {
        if case .refused(401, let code, _) = self { return code != "bad_key" }
        return false
    }

    /// What was renewed or ended is over.
    var isNoSuchThing: Bool {
        if case .refused(404, let code, _) = self { return code.hasPrefix("no_such_") && code != "no_such_path" }
        return false
    }

    /// Something else was made with this idempotency key.
    var isRepeatDiffering: Bool {
        if case .refused(409, _, _) = self { return true }
        return false
    }

    /// The same request will never be taken.
    var isFinal: Bool {
        if case .refused(let status, _, _) = self { return [400, 413, 422].contains(status) }
        return false
    }

    var retryAfter: Duration? {
        if case .refused(_, _, let retryAfter) = self { return retryAfter }
        return nil
    }

    var problem: ManagerProblem {
        switch self {
        case .unreachable(let what):
            ManagerProblem(.serviceUnreachable, detail: "The service cannot be reached: \(what). It is tried again.")
        case .nonsense(let what):
            ManagerProblem(
                .serviceNonsense,
                detail: "What answers is no service of ours: \(what). Look at the address of the service.")
        case .refused(let status, let code, _):
            ManagerProblem(
                .serviceRefusing(code: code), detail: "The service refuses (\(status), \(code)): \(Self.remedy(code))")
        }
    }

    /// What to do, in our own words: those of whoever answers are not trusted with a log.
    private static func remedy(_ code: String) -> String {
        switch code {
        case "bad_key", "no_credentials": "the key is unknown or revoked. Make one with 'earshotd key create'."
        case "bad_session": "the session is over. A new one is opened."
        case "rate_limited", "overloaded", "too_many_connections": "it is busy. It is tried again later."
        case "internal_error": "it failed; its log says why. It is tried again."
        case let code where code.hasPrefix("too_many_"): "a limit is reached. It is tried again later."
        default: "docs/SERVICE.md says why."
        }
    }
}
