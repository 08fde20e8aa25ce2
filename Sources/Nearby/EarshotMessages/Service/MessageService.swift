package import EarshotCoding
package import EarshotSealing
package import NearbyWire

/// The requests of docs/SERVICE.md. `HTTPMessageService` sends them to `earshotd`; tests have a service in memory.
package protocol MessageService: Sendable {
    /// Opens a session with the key.
    /// - Throws: `ServiceFailure`, as all requests do.
    func openSession() async throws(ServiceFailure) -> ServiceSession
    /// Ends the session with all its registrations.
    func end(_ session: ServiceSession) async throws(ServiceFailure)
    /// Publishes or subscribes. Repeated with the same idempotency key, it registers once.
    func register(
        _ order: ServiceOrder, timeToLive: Duration, idempotencyKey: String, in session: ServiceSession
    ) async throws(ServiceFailure) -> Registration
    /// Prolongs a registration, and returns the next token if it is time to rotate.
    func renew(
        _ name: RegistrationName, timeToLive: Duration, in session: ServiceSession
    ) async throws(ServiceFailure) -> Registration
    /// Withdraws a publication or subscription.
    func withdraw(_ name: RegistrationName, in session: ServiceSession) async throws(ServiceFailure)
    /// Reports the tokens that are heard, and those that are no longer heard.
    /// - Returns: the status of each heard token. The service may leave some out.
    func report(
        _ report: SightingReport, in session: ServiceSession
    ) async throws(ServiceFailure) -> [Payload: TokenStatus]
    /// Asks for the messages that are attached to beacons.
    /// - Parameter beacons: at most `AttachmentBook.beaconsPerQuestion`.
    /// - Returns: for each beacon, the attachments that the filter selects and the session may see.
    func lookUp(
        _ beacons: [BeaconIdentifier], _ filter: AttachmentFilter, in session: ServiceSession
    ) async throws(ServiceFailure) -> [BeaconIdentifier: [BeaconAttachment]]
    /// Streams the events of a session. The stream ends with a `ServiceFailure`, or without one if the service closed it.
    func events(
        in session: ServiceSession, after lastEventID: String?
    ) -> AsyncThrowingStream<ServiceEvent, any Error>
}

/// The secret of an open session. Its description does not show it.
package struct ServiceSession: Sendable, Hashable, CustomStringConvertible {
    package let secret: String
    /// How the device seals its messages; nil in an open project.
    package let sealing: DeviceSealing?

    package init(secret: String, sealing: DeviceSealing? = nil) {
        self.secret = secret
        self.sealing = sealing
    }

    package var description: String { "a session" }
}

/// A publication or subscription to register.
package enum ServiceOrder: Sendable, Hashable {
    case publication(Message)
    case subscription(namespace: String, type: String)
}

/// The name of a registration. The id is unique within its kind.
package struct RegistrationName: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case publication, subscription }

    package let kind: Kind
    package let id: String

    package init(_ kind: Kind, _ id: String) {
        self.kind = kind
        self.id = id
    }
}

/// A registration as the service confirms it. Durations count from the answer.
package struct Registration: Sendable, Hashable {
    package var name: RegistrationName
    /// The time to live without a renewal.
    package var expiresIn: Duration
    /// The token to play.
    package var token: Payload
    /// How long the service resolves the token.
    package var tokenExpiresIn: Duration
    /// The time after which a renewal returns the next token.
    package var rotateIn: Duration

    package init(
        name: RegistrationName, expiresIn: Duration, token: Payload, tokenExpiresIn: Duration, rotateIn: Duration
    ) {
        self.name = name
        self.expiresIn = expiresIn
        self.token = token
        self.tokenExpiresIn = tokenExpiresIn
        self.rotateIn = rotateIn
    }
}

/// A report of tokens.
package struct SightingReport: Sendable, Hashable {
    package var heard: [Payload]
    package var lost: [Payload]
    /// The time since each heard token was last heard, if known.
    package var ages: [Payload: Duration] = [:]

    package init(heard: [Payload] = [], lost: [Payload] = []) {
        self.heard = heard
        self.lost = lost
    }
}

/// An event from the service.
package enum ServiceEvent: Sendable, Hashable {
    /// The first event of a connection. If it did not resume, `found` events for all near messages follow.
    case ready(isResumed: Bool)
    /// A message is near. A later connection can resume after `eventID`.
    case found(subscription: String, message: Message, id: String, eventID: String?)
    /// A message is no longer near.
    case lost(subscription: String, id: String, eventID: String?)
    /// The session has ended.
    case end(code: String)
    /// No event: only a sign that the connection works.
    case quiet
}
