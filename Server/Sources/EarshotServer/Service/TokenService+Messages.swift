import EarshotCoding
import FoundationEssentials
import NearbyWire

extension TokenService {
    func publish(
        _ message: Message, for session: Session, timeToLive: Duration? = nil, idempotencyKey: String? = nil,
        token: TokenOfferBody? = nil
    ) async throws -> Outcome<Publication> {
        try require(namespace: message.namespace, type: message.type, idempotencyKey: idempotencyKey)
        let maximumCount = limits.contentBytes + (session.isSealed ? Sealing.maximumOverheadCount : 0)
        guard message.content.count <= maximumCount else {
            throw Problem.outOfRange(
                "The content has \(message.content.count) bytes.",
                remedy: "Send at most \(maximumCount); store larger content elsewhere and publish its address.")
        }
        let outcome = try await store.publish(
            PublicationOrder(
                identifier: Secret.newIdentifier(), idempotencyKey: idempotencyKey, message: message,
                renewal: try renewal(session, timeToLive: timeToLive, token, hasKey: true, isOrder: true),
                perDevice: limits.publicationsPerDevice,
                perKey: limits.publicationsPerKey))
        if outcome.isNew { metrics.add(to: .publications) }
        tell(outcome.woken)
        return outcome
    }

    func renewPublication(
        _ identifier: String, for session: Session, timeToLive: Duration? = nil, token: TokenOfferBody? = nil
    ) async throws -> (Publication, IssuedToken) {
        let renewal = try renewal(session, timeToLive: timeToLive, token, hasKey: true)
        guard let renewed = try await store.renewPublication(identifier, renewal) else {
            throw Problem.noSuchPublication
        }
        return renewed
    }

    func unpublish(_ identifier: String, for session: Session) async throws {
        guard let woken = try await store.unpublish(identifier, of: session) else {
            throw Problem.noSuchPublication
        }
        tell(woken)
    }

    func subscribe(
        _ filter: MessageFilter, for session: Session, timeToLive: Duration? = nil, idempotencyKey: String? = nil,
        token: TokenOfferBody? = nil
    ) async throws -> Outcome<Subscription> {
        try require(namespace: filter.namespace, type: filter.type, idempotencyKey: idempotencyKey)
        let outcome = try await store.subscribe(
            SubscriptionOrder(
                identifier: Secret.newIdentifier(), idempotencyKey: idempotencyKey, filter: filter,
                renewal: try renewal(session, timeToLive: timeToLive, token, hasKey: false, isOrder: true),
                perDevice: limits.subscriptionsPerDevice,
                perKey: limits.subscriptionsPerKey))
        if outcome.isNew { metrics.add(to: .subscriptions) }
        tell(outcome.woken)
        return outcome
    }

    func renewSubscription(
        _ identifier: String, for session: Session, timeToLive: Duration? = nil, token: TokenOfferBody? = nil
    ) async throws -> (Subscription, IssuedToken) {
        let renewal = try renewal(session, timeToLive: timeToLive, token, hasKey: false)
        guard let renewed = try await store.renewSubscription(identifier, renewal) else {
            throw Problem.noSuchSubscription
        }
        return renewed
    }

    func unsubscribe(_ identifier: String, for session: Session) async throws {
        guard try await store.unsubscribe(identifier, of: session) else {
            throw Problem.noSuchSubscription
        }
    }

    /// - Returns: the status of each token, in the order of the report.
    func report(
        heard: [HeardToken], lost: [Data], keys: [PublicationKeyBody] = [], for session: Session
    ) async throws -> SightingAnswer {
        let count = heard.count + lost.count
        guard count <= limits.tokensPerReport else {
            throw Problem.outOfRange(
                "The report has \(count) tokens.", remedy: "Send at most \(limits.tokensPerReport) in one report.")
        }
        for token in heard { try require(token) }
        try require(keys, session)
        let answer = try await store.report(
            SightingReport(
                session: session, heard: heard, lost: lost, keys: keys.map(PublicationKey.init),
                lifetime: limits.sightingLifetime,
                perDevice: limits.sightingsPerDevice))
        for (status, label) in Self.statusLabels {
            let count = answer.heard.count { $0 == status } + answer.lost.count { $0 == status }
            metrics.add(count, to: .sightings, label)
        }
        tell(answer.woken)
        return answer
    }

    /// - Returns: for each beacon, the attachments that the filter selects and the device may see; beacons without any
    ///   are left out.
    func lookUp(_ beacons: [BeaconIdentifier], _ filter: MessageFilter, for session: Session) async throws
        -> [LookUpResult]
    {
        guard beacons.count <= limits.beaconsPerLookUp else {
            throw Problem.outOfRange(
                "The question has \(beacons.count) beacons.",
                remedy: "Ask for at most \(limits.beaconsPerLookUp) at once.")
        }
        try require([("namespace", filter.namespace, limits.namespaceLength)])
        try require([("type", filter.type, limits.attachmentTypeLength)])
        let distinct = Set(beacons)
        // In the order of the query, without repetitions.
        var rest = distinct
        let ordered = beacons.filter { rest.remove($0) != nil }
        let results = try await store.lookUp(LookUp(beacons: ordered, filter: filter, project: session.project))
        metrics.add(results.count, to: .lookUps, "result=\"attachments\"")
        metrics.add(distinct.count - results.count, to: .lookUps, "result=\"nothing\"")
        return results
    }

    /// The labels of the statuses in the metrics.
    private static let statusLabels = TokenStatus.allCases.map { ($0, "status=\"\($0.rawValue.lowercased())\"") }

    private func require(_ keys: [PublicationKeyBody], _ session: Session) throws {
        guard keys.isEmpty || session.isSealed else {
            throw Problem.notSealed
        }
        guard keys.count <= Sealing.keysPerReport else {
            throw Problem.outOfRange(
                "The report has \(keys.count) keys.", remedy: "Send at most \(Sealing.keysPerReport) in one report.")
        }
        guard keys.allSatisfy({ $0.key.count == Sealing.wrappedKeyCount }) else {
            throw Problem.outOfRange(
                "A key has another size.", remedy: "Send wrapped keys of \(Sealing.wrappedKeyCount) bytes.")
        }
    }

    /// A lease of the requested length.
    /// - Parameters:
    ///   - token: the next token; in a sealed project the device draws it, in an open one the service.
    ///   - hasKey: whether a sealed one comes with a wrapped key.
    ///   - isOrder: whether the request creates the publication or subscription, or repeats that.
    private func renewal(
        _ session: Session, timeToLive: Duration?, _ token: TokenOfferBody?, hasKey: Bool, isOrder: Bool = false
    ) throws -> Renewal {
        let length = timeToLive ?? limits.defaultTimeToLive
        guard length >= .seconds(1), length <= limits.maximumTimeToLive else {
            throw Problem.outOfRange(
                "ttl_s is \(length.components.seconds).",
                remedy: "Ask for 1 to \(limits.maximumTimeToLive.components.seconds) seconds, and renew.")
        }
        return Renewal(
            session: session, timeToLive: length, sessionLifetime: sessionLifetime(session.origins),
            token: try offer(session, token, hasKey: hasKey, isOrder: isOrder))
    }

    private func offer(
        _ session: Session, _ token: TokenOfferBody?, hasKey: Bool, isOrder: Bool
    ) throws -> TokenOffer {
        guard session.isSealed else {
            guard token == nil else { throw Problem.notSealed }
            return TokenOffer(bytes: Data(Secret.randomBytes(Payload.tokenCount)), lifetime: limits.tokenLifetime)
        }
        let identifier = Data(token: token?.token ?? "")
        guard identifier.count == Sealing.identifierCount,
            hasKey ? token?.key?.count == Sealing.wrappedKeyCount : token?.key == nil
        else {
            throw Problem.outOfRange(
                "The project is sealed, and the request has no token as it should be.",
                remedy:
                    "Send the \(2 * Sealing.identifierCount) digits of an identifier\(hasKey ? ", and a key of \(Sealing.wrappedKeyCount) bytes" : " without a key")."
            )
        }
        return TokenOffer(
            bytes: identifier, key: token?.key, lifetime: limits.tokenLifetime, isForgetful: isOrder)
    }

    private func require(_ token: HeardToken) throws {
        guard token.age >= .zero, token.age <= limits.maximumTimeToLive else {
            throw Problem.outOfRange(
                "age_s is out of range.",
                remedy: "Send the seconds since the token was last heard, 0 to "
                    + "\(limits.maximumTimeToLive.components.seconds).")
        }
    }

    private func require(namespace: String, type: String, idempotencyKey: String?) throws {
        try require([
            ("type", type, limits.typeLength), ("namespace", namespace, limits.namespaceLength),
            ("idempotency_key", idempotencyKey ?? "", limits.namespaceLength),
        ])
    }

    private func require(_ texts: [(name: String, text: String, limit: Int)]) throws {
        for (name, text, limit) in texts {
            let count = text.unicodeScalars.count
            guard count <= limit else {
                throw Problem.outOfRange("The \(name) has \(count) characters.", remedy: "Use at most \(limit).")
            }
            // SQLite ends a text at NUL.
            guard !text.utf8.contains(0) else {
                throw Problem.outOfRange("The \(name) has the character NUL.", remedy: "Leave it out.")
            }
        }
    }
}
