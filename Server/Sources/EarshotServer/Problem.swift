import FoundationEssentials
import Hummingbird
import NearbyWire

/// The reason why the service rejects a request, for its client.
///
///     {"problem":{"code":"…","message":"what is wrong","remedy":"what to do"}}
struct Problem: Error, Sendable, Equatable {
    /// The HTTP status.
    let status: HTTPResponse.Status
    /// For programs: its meaning never changes.
    let code: String
    /// For people: the error, with the value and the limit.
    let message: String
    /// For people: the remedy.
    let remedy: String
    /// The seconds after which a retry makes sense; nil if it does not.
    let retryAfterSeconds: Int?
    /// Whether the rest of the connection's input cannot be parsed.
    let endsConnection: Bool
    /// The methods of the path, if the request used another one.
    let allowedMethods: [String]

    init(
        _ status: HTTPResponse.Status, _ code: String, _ message: String, remedy: String,
        retryAfterSeconds: Int? = nil, endsConnection: Bool = false, allowedMethods: [String] = []
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.remedy = remedy
        self.retryAfterSeconds = retryAfterSeconds
        self.endsConnection = endsConnection
        self.allowedMethods = allowedMethods
    }

    var isRateLimited: Bool { code == Self.rateLimitedCode }

    /// The JSON above.
    var body: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = ProblemBody(code: code, message: message, remedy: remedy)
        guard let data = try? encoder.encode(body) else { preconditionFailure("text is always JSON") }
        return String(decoding: data, as: UTF8.self)
    }

    var headers: HTTPFields {
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if let retryAfterSeconds { headers[.retryAfter] = String(retryAfterSeconds) }
        if !allowedMethods.isEmpty { headers[.allow] = allowedMethods.joined(separator: ", ") }
        if endsConnection { headers[.connection] = "close" }
        if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        return headers
    }

    var response: Response {
        Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    }
}

extension Problem {
    static let noCredentials = Problem(
        .unauthorized, "no_credentials", "The request has neither an API key nor a session.",
        remedy: "Send the header 'Authorization: Bearer …'.")
    static let badKey = Problem(
        .unauthorized, "bad_key", "The API key is unknown or revoked.",
        remedy: "Create one with 'earshotd key create' in this service's database (--database).")
    static let sessionForKey = Problem(
        .unauthorized, "bad_key", "This is a session, not an API key.",
        remedy: "Send the key that opened the session; other requests send the session.")
    static let notDeviceKey = Problem(
        .forbidden, "not_device_key", "This is an owner's key; it opens no session.",
        remedy: "Use a key of 'earshotd key create' without --owner, and keep the owner's key out of apps.")
    static let notOwner = Problem(
        .forbidden, "not_owner", "This key may not manage the project's beacons.",
        remedy: "Use a key of 'earshotd key create PROJECT --owner'.")
    static let notBrowserKey = Problem(
        .forbidden, "not_browser_key", "The request comes from a browser, and its key is not for browsers.",
        remedy: "Use a key of 'earshotd key create PROJECT --browser', and keep other keys out of pages.")
    static let notForBrowsers = Problem(
        .forbidden, "not_for_browsers", "A browser key publishes and subscribes; it asks about no beacons.",
        remedy: "Ask from an app, with a key of 'earshotd key create' without --browser.")
    static let noOrigin = Problem(
        .forbidden, "no_origin", "This is a browser key, and the request has no header Origin.",
        remedy: "Send it from a page; for other programs use a key without --browser.")
    static let originNotAllowed = Problem(
        .forbidden, "origin_not_allowed",
        "Pages of this request's origin may not use this service, or not with this key.",
        remedy: "Name the origin when the key is created: 'earshotd key create PROJECT --browser --origin https://…'.")
    static let badSession = Problem(
        .unauthorized, "bad_session", "The session is unknown or has ended, or its key was revoked.",
        remedy: "Open a new session with POST /v1/devices, then publish and subscribe again.")
    static let sealingRequired = Problem(
        .forbidden, "sealing_required", "The project is sealed, and this client cannot seal messages.",
        remedy:
            "Use a client of this version or later; 'earshotd project create --open' makes a project for older ones.")
    static let notSealed = Problem(
        .forbidden, "not_sealed", "The project is open, and the request has a token or keys of a sealed message.",
        remedy: "Leave 'token' and 'keys' out, or create a project without --open.")
    static let tokenTaken = Problem(
        .conflict, "token_taken", "Another publication or subscription has this token.",
        remedy: "Draw another token, and ask again.")
    static let noSuchPath = noSuchPath(remedy: "GET /v1/openapi.json lists all endpoints.")
    /// For a listener that does not offer that list.
    static func noSuchPath(among paths: [String]) -> Problem {
        noSuchPath(remedy: "This listener has \(paths.joined(separator: ", ")).")
    }
    private static func noSuchPath(remedy: String) -> Problem {
        Problem(.notFound, "no_such_path", "No endpoint has this path.", remedy: remedy)
    }
    static let noSuchPublication = Problem(
        .notFound, "no_such_publication", "This device has no such publication, or it has ended.",
        remedy: "Publish again with POST /v1/publications.")
    static let noSuchSubscription = Problem(
        .notFound, "no_such_subscription", "This device has no such subscription, or it has ended.",
        remedy: "Subscribe again with POST /v1/subscriptions.")
    static let repeatDiffers = Problem(
        .conflict, "repeat_differs", "This idempotency_key belongs to an order with other content.",
        remedy: "Use a new idempotency_key for new content.")
    static let overloaded = Problem(
        .serviceUnavailable, "overloaded", "The database is too slow for the number of requests.",
        remedy: "Try again after the time in Retry-After, and less often.", retryAfterSeconds: 2)
    static let tooManyConnections = Problem(
        .serviceUnavailable, "too_many_connections", "The service has reached its limit of connections.",
        remedy: "Try again after the time in Retry-After; keep one connection for requests and one for events.",
        retryAfterSeconds: 5, endsConnection: true)
    static func tooManyConnections(perAddress limit: Int) -> Problem {
        Problem(
            .tooManyRequests, "too_many_address_connections",
            "This address has \(limit) connections open, which is the limit.",
            remedy: "Close some; keep one connection for requests and one for events.", retryAfterSeconds: 5,
            endsConnection: true)
    }
    static let internalError = Problem(
        .internalServerError, "internal_error", "The service failed; the request may or may not have taken effect.",
        remedy: "Try again with the same idempotency_key; the operator finds the reason in the log.",
        retryAfterSeconds: 2)

    static func storeFails(_ reason: String) -> Problem {
        Problem(
            .serviceUnavailable, "store_fails", "Writes to the database fail, or soon will: \(reason).",
            remedy: "The operator has to look at the database and its disk.", retryAfterSeconds: 5)
    }

    /// The reason is only in the log, because it names the operator's machines.
    static let storeAway = Problem(
        .serviceUnavailable, "store_away", "The database cannot be reached.",
        remedy: "Try again after the time in Retry-After.", retryAfterSeconds: 2)

    static let notANode = Problem(
        .forbidden, "not_a_node", "This listener answers the other nodes of the service only.",
        remedy: "Use the address that the operator of the service names.")
    /// The node that served the project has disappeared, or this node cannot reach it.
    static let projectMoves = Problem(
        .serviceUnavailable, "project_moves", "This project moves to another node of the service.",
        remedy: "Try again after the time in Retry-After.", retryAfterSeconds: 1)
    static let projectLoading = Problem(
        .serviceUnavailable, "project_loading", "A node of the service has taken this project, and still reads it.",
        remedy: "Try again after the time in Retry-After.", retryAfterSeconds: 1)

    static let badRequest = Problem(
        .badRequest, "bad_request", "The request is not HTTP, or ends too early.",
        remedy: "Send HTTP/1.1; GET /v1/openapi.json lists all endpoints.", endsConnection: true)
    static let headersTooLarge = Problem(
        .requestHeaderFieldsTooLarge, "headers_too_large",
        "The request has more than 64 headers, a header of more than 8 KiB, or headers of more than 16 KiB in all.",
        remedy: "Send fewer and shorter ones; Authorization is enough.", endsConnection: true)
    static let requestTooSlow = Problem(
        .requestTimeout, "request_too_slow", "The request did not arrive completely within its time.",
        remedy: "Send it again, without a pause.", endsConnection: true)

    static let badHost = Problem(
        .badRequest, "bad_host", "The request has no header Host, or more than one.",
        remedy: "Send exactly one, with the name of the service.", endsConnection: true)
    static let badTransferEncoding = Problem(
        .notImplemented, "bad_transfer_encoding", "The request has a Transfer-Encoding other than 'chunked'.",
        remedy: "Send Content-Length, or 'Transfer-Encoding: chunked' alone.", endsConnection: true)

    /// - Parameter isDescribed: whether the interface's description has the path.
    static func methodNotAllowed(_ allowed: [String], isDescribed: Bool) -> Problem {
        let list = allowed.joined(separator: ", ")
        return Problem(
            .methodNotAllowed, "method_not_allowed", "This path does not have the method of the request.",
            remedy: "Use \(list)" + (isDescribed ? "; GET /v1/openapi.json describes each." : "."),
            allowedMethods: allowed)
    }

    static func bodyTooLarge(limit: Int) -> Problem {
        Problem(
            .contentTooLarge, "body_too_large", "The body has more than \(limit) bytes.",
            remedy: "Content has at most 102400 bytes, in base64.")
    }

    static func badBody(_ detail: String) -> Problem {
        Problem(
            .badRequest, "bad_body", "The body does not match this path: \(detail)",
            remedy: "GET /v1/openapi.json describes the body.")
    }

    static func badBeacon(_ error: BeaconTextError) -> Problem {
        Problem(
            .badRequest, "bad_beacon", "A beacon of the request is not in its text form: \(error).",
            remedy:
                "Write it as eddystone:NAMESPACE:INSTANCE, ibeacon:UUID:MAJOR:MINOR or altbeacon:COMPANY:IDENTIFIER.")
    }

    static func outOfRange(_ message: String, remedy: String) -> Problem {
        Problem(.unprocessableContent, "out_of_range", message, remedy: remedy)
    }

    static func quota(_ what: String, limit: Int, per owner: String) -> Problem {
        Problem(
            .tooManyRequests, "too_many_\(what)", "This \(owner) has \(limit) \(what), which is the limit.",
            remedy: "Delete those no longer needed, or let them expire.", retryAfterSeconds: 60)
    }

    private static let rateLimitedCode = "rate_limited"

    static func tooManyFailures(retryAfterSeconds: Int) -> Problem {
        Problem(
            .tooManyRequests, rateLimitedCode, "Too many requests of this address have no valid key or session.",
            remedy: "Open a session with a valid key after the time in Retry-After; valid ones are always accepted.",
            retryAfterSeconds: retryAfterSeconds)
    }

    static func rateLimited(per owner: String, retryAfterSeconds: Int) -> Problem {
        Problem(
            .tooManyRequests, rateLimitedCode, "This \(owner) sends more requests than its limit allows.",
            remedy: "Try again after the time in Retry-After; report sightings together.",
            retryAfterSeconds: retryAfterSeconds)
    }
}
