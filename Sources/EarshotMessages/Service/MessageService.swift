package import EarshotCoding

/// What the client asks of a service, as docs/SERVICE.md has it. `HTTPMessageService` asks `earshotd`; tests have one in memory.
package protocol MessageService: Sendable {
    /// Shows the key.
    func openSession() async throws(ServiceFailure) -> ServiceSession
    /// Ends it, and all that was published and subscribed in it.
    func end(_ session: ServiceSession) async throws(ServiceFailure)
    /// Publishes or subscribes. With the same key again it makes nothing twice.
    func register(
        _ order: ServiceOrder, timeToLive: Duration, idempotencyKey: String, in session: ServiceSession
    ) async throws(ServiceFailure) -> Registration
    /// Prolongs it, and takes the next token where it is time.
    func renew(
        _ name: RegistrationName, timeToLive: Duration, in session: ServiceSession
    ) async throws(ServiceFailure) -> Registration
    /// Unpublishes or unsubscribes.
    func withdraw(_ name: RegistrationName, in session: ServiceSession) async throws(ServiceFailure)
    /// Reports tokens that are heard, and that no longer are.
    /// - Returns: of those heard what the service says.
    func report(
        _ report: SightingReport, in session: ServiceSession
    ) async throws(ServiceFailure) -> [Payload: SightingStatus]
    /// What happens, until the stream is no longer read. Ends with a `ServiceFailure`, or without where the service closed it.
    func events(
        in session: ServiceSession, after lastEventID: String?
    ) -> AsyncThrowingStream<ServiceEvent, any Error>
}

/// A device's secret. Not printed.
package struct ServiceSession: Sendable, Hashable, CustomStringConvertible {
    package let secret: String

    package init(secret: String) {
        self.secret = secret
    }

    package var description: String { "a session" }
}

/// What is to be made at the service.
package enum ServiceOrder: Sendable, Hashable {
    case publication(Message)
    case subscription(namespace: String, type: String)
}

/// What was made at the service. The id is unique within its kind.
package struct RegistrationName: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case publication, subscription }

    package let kind: Kind
    package let id: String

    package init(_ kind: Kind, _ id: String) {
        self.kind = kind
        self.id = id
    }
}

/// What the service says of what was made there, from now on.
package struct Registration: Sendable, Hashable {
    package var name: RegistrationName
    /// It is over after that without a renewal.
    package var expiresIn: Duration
    /// What to say in sound.
    package var token: Payload
    /// It is not worth saying after that.
    package var tokenExpiresIn: Duration
    /// A renewal after that gives the next one.
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

/// Tokens to report.
package struct SightingReport: Sendable, Hashable {
    package var heard: [Payload]
    package var lost: [Payload]

    package init(heard: [Payload] = [], lost: [Payload] = []) {
        self.heard = heard
        self.lost = lost
    }
}

/// What the service says of a token.
package enum SightingStatus: String, Sendable, Hashable {
    /// It belongs to somebody of this project who is near.
    case valid = "VALID"
    /// It belongs to somebody else's project, or to nobody.
    case invalid = "INVALID"
    /// It belonged to this project.
    case expired = "EXPIRED"
}

/// What comes by itself.
package enum ServiceEvent: Sendable, Hashable {
    /// The first. Where it did not resume, all that is near follows.
    case ready(isResumed: Bool)
    /// A message is near. `eventID` says where to resume.
    case found(subscription: String, message: Message, id: String, eventID: String?)
    /// It is not any more.
    case lost(subscription: String, id: String, eventID: String?)
    /// The session is over.
    case end(code: String)
    /// Nothing happened; the connection lives.
    case quiet
}
