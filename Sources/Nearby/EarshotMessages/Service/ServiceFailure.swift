/// The failure of a request to the service.
package enum ServiceFailure: Error, Sendable, Hashable {
    /// There was no answer, or not in time. The text says what failed, without secrets.
    case unreachable(String)
    /// The service refused the request.
    case refused(status: Int, code: String, retryAfter: Duration?)
    /// The answer is not valid: another server answered, or the service is broken. The text says how.
    case invalid(String)
    /// The address of the service is invalid, so there was no request. The text says where it is from and what to do.
    case misconfigured(String)

    /// The key is malformed, so it was not sent. The code is the client's own.
    static let malformedKey = ServiceFailure.refused(status: 401, code: malformedKeyCode, retryAfter: nil)
    private static let malformedKeyCode = "malformed_key"

    /// The service does not know the session, for any reason.
    package static let badSession = ServiceFailure.refused(status: 401, code: "bad_session", retryAfter: nil)

    var isBadSession: Bool {
        if case .refused(401, let code, _) = self { return !["bad_key", Self.malformedKeyCode].contains(code) }
        return false
    }

    /// The registration to renew or withdraw does not exist.
    var isNoSuchThing: Bool {
        if case .refused(404, let code, _) = self { return code.hasPrefix("no_such_") && code != "no_such_path" }
        return false
    }

    /// The idempotency key belongs to a different registration.
    var isRepeatDiffering: Bool {
        if case .refused(409, _, _) = self { return true }
        return false
    }

    /// The service will never accept this request.
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
        case .unreachable(let reason):
            ManagerProblem(.serviceUnreachable, detail: "Cannot reach the service: \(reason). The program retries.")
        case .invalid(let reason):
            ManagerProblem(
                .serviceInvalid,
                detail: "The answer is not from a token service: \(reason). Check the address of the service.")
        case .misconfigured(let reason): ManagerProblem(.serviceInvalid, detail: reason)
        case .refused(let status, let code, _):
            ManagerProblem(
                .serviceRefusing(code: code),
                detail: "The service refused the request (\(status), \(code)): \(Self.remedy(code))")
        }
    }

    /// The remedy, in Earshot's own words: texts of an unknown server must not reach a log.
    private static func remedy(_ code: String) -> String {
        switch code {
        case "bad_key", "no_credentials":
            "the key is unknown or revoked. Create one with 'earshotd key create' in the service's database."
        case malformedKeyCode:
            "the key is empty, or holds a line break, a space or another character that no key has. Use the line that "
                + "'earshotd key create' printed, without its end."
        case "not_device_key":
            "this is an owner's key, which opens no sessions. Use a key of 'earshotd key create' without --owner."
        case "no_origin":
            "this is a key for web pages. Use a key of 'earshotd key create' without --browser."
        case "bad_session": "the session has ended. The program opens a new one."
        case "rate_limited", "overloaded", "too_many_connections": "it is busy. The program retries later."
        case "internal_error": "it failed; its log says why. The program retries."
        case let code where code.hasPrefix("too_many_"): "a limit is reached. The program retries later."
        default: "docs/SERVICE.md explains the code."
        }
    }
}
