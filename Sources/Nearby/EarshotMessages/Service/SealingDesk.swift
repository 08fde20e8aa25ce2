import EarshotBasics
import EarshotCoding
import EarshotSealing
import Foundation
import NearbyWire
import Synchronization

/// Translates between the messages and tokens of this device and their forms at the service of a sealed project: sealed
/// contents, tags and identifiers. It sends no requests.
///
///     order ─▶ seal, draw a token ─▶ service          (publications, subscriptions, renewals)
///     heard tokens ─▶ identifiers, wrapped keys ─▶ service
///     found ◀─ open ◀─ service
///
/// In an open project it changes nothing. Its memory is cleared with each session.
final class SealingDesk: Sendable {
    /// The maximum number of stored token secrets: as many as a device hears during the two minutes of a token's life,
    /// in the fullest room.
    static let maximumSecretCount = 4_096
    /// The rounds of key derivation for heard tokens, at once and a second: 0.3 s, and 3 % of a processor. An attacker
    /// who sends many tokens must not keep the device busy.
    static let burstRounds = 1_000_000.0
    static let roundsPerSecond = 100_000.0
    /// The maximum number of found messages whose keys are stored.
    static let maximumFoundCount = FoundBook.maximumCount

    private struct State {
        var session: String = ""
        var registrations: [RegistrationName: Kept] = [:]
        /// The terms from which the secrets are derived.
        var terms: SealingTerms?
        /// The budget for heard tokens: each new secret takes one of its tokens.
        var budget = TokenBucket(burst: 1, perSecond: 1)
        /// By token, with the number of their last use.
        var secrets: [Payload: (secret: TokenSecret, use: Int)] = [:]
        /// The tokens of identifiers.
        var tokens: [Payload: Payload] = [:]
        var useCount = 0
        /// The keys of found messages, by id. After a restart the service lacks some wrapped keys until the publisher
        /// reports again.
        var foundKeys: [String: ContentKey] = [:]
    }

    /// A publication or subscription.
    private struct Kept {
        /// nil for a subscription.
        let key: ContentKey?
        /// The tokens that were offered since the service last named one.
        var offered: [Payload] = []
    }

    /// The additional content of a request.
    struct Draft: Sendable {
        let order: ServiceOrder
        let offer: TokenOfferBody
        fileprivate let token: Payload
        fileprivate let key: ContentKey?
    }

    private let state = Mutex(State())

    /// The number of stored token secrets.
    var secretCount: Int { state.withLock { $0.secrets.count } }

    // MARK: Orders

    /// The order in the form for the service, and a token; nil in an open project.
    func draft(_ order: ServiceOrder, name: String, in session: ServiceSession) -> Draft? {
        guard let sealing = session.sealing else { return nil }
        switch order {
        case .publication(let message):
            let sealed = sealing.seal(
                PlainMessage(namespace: message.namespace, type: message.type, content: Array(message.content)),
                name: name)
            let tags = Message(
                content: Data(sealed.bytes), type: sealing.terms.tag(type: message.type),
                namespace: sealing.terms.tag(namespace: message.namespace))
            return draft(.publication(tags), key: sealed.key, sealing)
        case .subscription(let namespace, let type):
            let tags = ServiceOrder.subscription(
                namespace: sealing.terms.tag(namespace: namespace), type: sealing.terms.tag(type: type))
            return draft(tags, key: nil, sealing)
        }
    }

    private func draft(_ order: ServiceOrder, key: ContentKey?, _ sealing: DeviceSealing) -> Draft {
        let token = Payload.drawnToken()
        return Draft(order: order, offer: offer(token, key: key, sealing), token: token, key: key)
    }

    private func offer(_ token: Payload, key: ContentKey?, _ sealing: DeviceSealing) -> TokenOfferBody {
        let secret = secret(of: token, sealing.terms)
        return TokenOfferBody(token: secret.identifier.hex, key: key.map { Data(secret.wrap($0)) })
    }

    /// The next token of a registration; nil in an open project.
    func offer(for name: RegistrationName, in session: ServiceSession) -> TokenOfferBody? {
        guard let sealing = session.sealing else { return nil }
        let token = Payload.drawnToken()
        let kept = withState(of: session) { state -> Kept? in
            state.registrations[name]?.offered.append(token)
            return state.registrations[name]
        }
        return kept.map { offer(token, key: $0.key, sealing) }
    }

    /// Replaces the identifier in a confirmed registration by its token.
    /// - Parameter draft: the draft of the order; nil for a renewal.
    /// - Throws: `ServiceFailure.invalid` if the device did not generate this token.
    func confirmed(
        _ registration: Registration, _ draft: Draft?, in session: ServiceSession
    ) throws(ServiceFailure) -> Registration {
        guard session.sealing != nil else { return registration }
        let token = withState(of: session) { state -> Payload? in
            if let draft { state.registrations[registration.name] = Kept(key: draft.key, offered: [draft.token]) }
            guard let token = state.tokens[registration.token],
                state.registrations[registration.name] != nil
            else { return nil }
            state.registrations[registration.name]?.offered = [token]
            return token
        }
        guard let token else { throw .invalid("it names a token that this device did not generate") }
        var confirmed = registration
        confirmed.token = token
        return confirmed
    }

    func forget(_ name: RegistrationName, in session: ServiceSession) {
        withState(of: session) { $0.registrations[name] = nil }
    }

    // MARK: Reports

    /// The report in the form for the service, with the keys of all publications for the heard tokens: as many as
    /// allowed in the first body, the rest in further bodies with keys alone. Heard tokens beyond the budget are left
    /// out, and the reporter reports them again.
    /// - Parameter nowSeconds: the time of any clock, always the same one.
    func bodies(_ report: SightingReport, in session: ServiceSession, nowSeconds: Double) -> [SightingsBody] {
        guard let sealing = session.sealing else { return [SightingsBody(report)] }
        let heard = report.heard.compactMap { token in
            affordableSecret(of: token, sealing.terms, nowSeconds: nowSeconds).map { (token, $0) }
        }
        var keys = keys(for: heard.map(\.1), in: session)[...]
        let first = SightingsBody(
            heard: heard.map { HeardBody($1.identifier, age: report.ages[$0]) },
            lost: report.lost.compactMap { knownSecret(of: $0, sealing.terms)?.identifier.hex },
            keys: Array(keys.prefix(Sealing.keysPerReport)))
        keys = keys.dropFirst(Sealing.keysPerReport)
        return [first] + Self.bodies(keys)
    }

    /// Reports of keys alone.
    private static func bodies(_ keys: ArraySlice<PublicationKeyBody>) -> [SightingsBody] {
        stride(from: keys.startIndex, to: keys.endIndex, by: Sealing.keysPerReport).map { start in
            SightingsBody(heard: [], lost: [], keys: Array(keys[start...].prefix(Sealing.keysPerReport)))
        }
    }

    /// The statuses by token.
    func statuses(_ statuses: [Payload: TokenStatus], in session: ServiceSession) -> [Payload: TokenStatus] {
        guard session.sealing != nil else { return statuses }
        return withState(of: session) { state in
            Dictionary(
                statuses.compactMap { identifier, status in state.tokens[identifier].map { ($0, status) } },
                uniquingKeysWith: { first, _ in first })
        }
    }

    private func keys(for secrets: [TokenSecret], in session: ServiceSession) -> [PublicationKeyBody] {
        let publications = withState(of: session) { state in
            state.registrations.compactMap { name, kept in kept.key.map { (name.id, $0) } }
        }
        return secrets.flatMap { secret in
            publications.map { id, key in
                PublicationKeyBody(token: secret.identifier.hex, publication: id, key: Data(secret.wrap(key)))
            }
        }
    }

    // MARK: Events

    /// The event with its message opened. If no key opens the message, the event is dropped.
    func opened(_ event: ServiceEvent, keys: [KeyBody], in session: ServiceSession) -> ServiceEvent {
        guard session.sealing != nil, case .found(let subscription, let message, let id, let eventID) = event else {
            return event
        }
        guard let (key, plain) = open(message.content, id: id, keys, in: session) else { return .quiet }
        withState(of: session) { state in
            if state.foundKeys.count >= Self.maximumFoundCount { state.foundKeys = [:] }
            state.foundKeys[id] = key
        }
        let opened = Message(content: Data(plain.content), type: plain.type, namespace: plain.namespace)
        return .found(subscription: subscription, message: opened, id: id, eventID: eventID)
    }

    private func open(
        _ sealed: Data, id: String, _ keys: [KeyBody], in session: ServiceSession
    ) -> (ContentKey, PlainMessage)? {
        let (secrets, known) = withState(of: session) { state in
            let secrets = keys.compactMap { body -> (TokenSecret, Data)? in
                guard let identifier = Payload(serviceToken: body.token), let token = state.tokens[identifier] else {
                    return nil
                }
                return state.secrets[token].map { ($0.secret, body.key) }
            }
            return (secrets, state.foundKeys[id])
        }
        let unwrapped = secrets.lazy.compactMap { secret, wrapped in secret.unwrap(wrapped) }
        for key in Array(unwrapped) + [known].compactMap(\.self) {
            if let plain = key.open(sealed) { return (key, plain) }
        }
        return nil
    }

    // MARK: Secrets

    /// The secret of a token, if it is known.
    private func knownSecret(of token: Payload, _ terms: SealingTerms) -> TokenSecret? {
        state.withLock { state -> TokenSecret? in
            if state.terms != terms {
                (state.terms, state.secrets, state.tokens) = (terms, [:], [:])
                let rounds = Double(terms.rounds)
                state.budget = TokenBucket(
                    burst: max(Self.burstRounds / rounds, 1), perSecond: Self.roundsPerSecond / rounds)
            }
            state.useCount += 1
            state.secrets[token]?.use = state.useCount
            return state.secrets[token]?.secret
        }
    }

    /// The secret of a heard token; nil if it is new and beyond the budget.
    private func affordableSecret(
        of token: Payload, _ terms: SealingTerms, nowSeconds: Double
    ) -> TokenSecret? {
        if let known = knownSecret(of: token, terms) { return known }
        guard state.withLock({ $0.budget.take(nowSeconds: nowSeconds) }) else { return nil }
        return secret(of: token, terms)
    }

    /// The secret of a token. Each new one costs a key derivation, outside of the lock.
    private func secret(of token: Payload, _ terms: SealingTerms) -> TokenSecret {
        if let known = knownSecret(of: token, terms) { return known }
        let secret = TokenSecret(token, terms)
        state.withLock { state in
            state.secrets[token] = (secret, state.useCount)
            state.tokens[secret.identifier] = token
            if state.secrets.count > Self.maximumSecretCount { Self.forgetOldest(&state) }
        }
        return secret
    }

    /// Forgets a tenth at once, so that this happens rarely.
    private static func forgetOldest(_ state: inout State) {
        let oldest = state.secrets.sorted { $0.value.use < $1.value.use }.prefix(maximumSecretCount / 10)
        for (token, entry) in oldest {
            state.secrets[token] = nil
            state.tokens[entry.secret.identifier] = nil
        }
    }

    private func withState<Value>(of session: ServiceSession, _ body: (inout State) -> Value) -> Value {
        state.withLock { state in
            if state.session != session.secret {
                (state.session, state.registrations, state.foundKeys) = (session.secret, [:], [:])
            }
            return body(&state)
        }
    }
}
