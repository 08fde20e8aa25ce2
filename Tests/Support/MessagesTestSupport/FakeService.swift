import EarshotCoding
package import EarshotMessages
import Foundation
package import NearbyWire
import Synchronization

/// A service in memory. It follows docs/SERVICE.md, and breaks its rules on request.
package final class FakeService: Sendable {
    /// The behaviour of the service.
    package enum Mood: Sendable, Equatable {
        case well
        /// It does not answer.
        case down
        /// Its answers are invalid.
        case invalid
        /// Each answer takes this long.
        case slow(Duration)
        /// It refuses every request.
        case refusing(status: Int, code: String, retryAfter: Duration?)
        /// It does not answer reports; all else works.
        case deaf
        /// It obeys each request, but the answer is lost on the way.
        case mute
    }

    struct Thing {
        var name: RegistrationName
        var order: ServiceOrder
        var device: String
        var project: String
        var idempotencyKey: String
        var tokens: [(token: Payload, expiresAt: ContinuousClock.Instant)]
    }

    struct Attachment {
        var beacon: BeaconIdentifier
        var attachment: BeaconAttachment
        var project: String
        var isPublic: Bool
    }

    struct Change {
        var sequence: Int
        var isFound: Bool
    }

    struct State {
        var mood = Mood.well
        /// The project of each key.
        var keys: [String: String] = [:]
        /// The project of each device.
        var sessions: [String: String] = [:]
        var things: [Thing] = []
        var heard: [String: [Payload: ContinuousClock.Instant]] = [:]
        var changes: [String: [String: Change]] = [:]
        var sequences: [String: Int] = [:]
        var streams: [Int: Stream] = [:]
        var nextID = 0
        var requests: [String] = []
        var attachments: [Attachment] = []
        /// All beacons that were asked about, in order.
        var lookedUp: [BeaconIdentifier] = []
        /// All ages of heard tokens that were reported, in order.
        var ages: [Duration] = []
        var chance = UInt64(1)
        /// Events to send to streams.
        var outbox: [(stream: Stream, event: ServiceEvent)] = []
    }

    struct Stream {
        var device: String
        var last: Int
        var continuation: AsyncThrowingStream<ServiceEvent, any Error>.Continuation
    }

    let state = Mutex(State())
    private let order = Mutex(())
    let tokenLifetime: Duration
    let sightingLifetime: Duration

    package init(
        keys: [String: String] = ["key": "project"], tokenLifetime: Duration = .seconds(120),
        sightingLifetime: Duration = .seconds(90)
    ) {
        self.tokenLifetime = tokenLifetime
        self.sightingLifetime = sightingLifetime
        state.withLock { $0.keys = keys }
    }

    /// The access of a device to the service.
    package func client(key: String) -> any MessageService { FakeServiceClient(service: self, key: key) }

    /// Sets the behaviour from now on.
    package func set(_ mood: Mood) {
        state.withLock { $0.mood = mood }
        if mood == .down { endStreams() }
    }

    /// Restarts the service as after a crash, with its database or without.
    package func restart(forgetting: Bool = false) {
        endStreams()
        guard forgetting else { return }
        state.withLock { state in
            state.sessions = [:]
            state.things = []
            state.heard = [:]
            state.changes = [:]
        }
    }

    private func endStreams() {
        let streams = state.withLock { state in
            defer { state.streams = [:] }
            return state.streams.values.map(\.self)
        }
        for stream in streams { stream.continuation.finish(throwing: ServiceFailure.unreachable("it went away")) }
    }

    /// All requests, in order.
    package var requests: [String] { state.withLock { $0.requests } }
    /// All beacons that devices asked about, in order.
    package var lookedUp: [BeaconIdentifier] { state.withLock { $0.lookedUp } }
    /// All ages of heard tokens that devices reported, in order.
    package var ages: [Duration] { state.withLock { $0.ages } }

    /// Attaches a message to a beacon of a project.
    package func attach(
        _ message: Message, to beacon: BeaconIdentifier, project: String = "project", isPublic: Bool = false
    ) {
        state.withLock { state in
            state.nextID += 1
            state.attachments.append(
                Attachment(
                    beacon: beacon, attachment: BeaconAttachment(id: "attachment\(state.nextID)", message: message),
                    project: project, isPublic: isPublic))
        }
    }

    /// Removes all attachments of a beacon.
    package func detachAll(from beacon: BeaconIdentifier) {
        state.withLock { $0.attachments.removeAll { $0.beacon == beacon } }
    }

    /// All registrations that exist.
    package var things: [RegistrationName] { state.withLock { $0.things.map(\.name) } }
    /// Whether it has reported a message to any device.
    package var hasFound: Bool { state.withLock { !$0.changes.isEmpty } }
    package var sessionCount: Int { state.withLock { $0.sessions.count } }
    /// All secrets that it ever gave out.
    package var secrets: [String] {
        state.withLock { state in
            Array(state.keys.keys) + Array(state.sessions.keys)
                + state.things.flatMap { $0.tokens.map(\.token.hex) }
        }
    }

    /// Loses the devices whose reports have expired.
    package func sweep() {
        transaction { match(&$0) }
    }

    /// Changes the state and sends the resulting events, in order. It sends outside the lock, because the end of a stream needs
    /// the lock.
    func transaction<Answer: Sendable>(_ change: (inout State) -> Answer) -> Answer {
        order.withLock { _ in
            let (answer, outbox) = state.withLock { state in
                let answer = change(&state)
                defer { state.outbox = [] }
                return (answer, state.outbox)
            }
            for (stream, event) in outbox { stream.continuation.yield(event) }
            return answer
        }
    }

    /// Ends all registrations of a kind.
    package func drop(_ kind: RegistrationName.Kind) {
        state.withLock { state in state.things.removeAll { $0.name.kind == kind } }
    }

    // MARK: Matching

    /// Records the changes for each device.
    func match(_ state: inout State) {
        let now = ContinuousClock.now
        func hears(_ device: String, _ thing: Thing) -> Bool {
            thing.tokens.contains { token, expiresAt in
                guard expiresAt > now, let at = state.heard[device]?[token] else { return false }
                return at + sightingLifetime > now
            }
        }
        for device in state.sessions.keys {
            var near: Set<String> = []
            for subscription in state.things where subscription.device == device {
                for publication in state.things where Self.fits(publication, subscription) {
                    if hears(device, publication) || hears(publication.device, subscription) {
                        near.insert("\(subscription.name.id) \(publication.name.id)")
                    }
                }
            }
            let known = state.changes[device] ?? [:]
            let found = Set(known.filter(\.value.isFound).keys)
            for pair in near.symmetricDifference(found).sorted() {
                let sequence = state.sequences[device, default: 0] + 1
                state.sequences[device] = sequence
                state.changes[device, default: [:]][pair] = Change(sequence: sequence, isFound: near.contains(pair))
            }
        }
        for id in state.streams.keys { write(&state, id) }
    }

    private static func fits(_ publication: Thing, _ subscription: Thing) -> Bool {
        guard case .publication(let message) = publication.order, publication.device != subscription.device,
            publication.project == subscription.project,
            case .subscription(let namespace, let type) = subscription.order
        else { return false }
        return message.namespace == namespace && (type.isEmpty || message.type == type)
    }

    /// Sends all new changes to a stream.
    func write(_ state: inout State, _ id: Int, isSnapshot: Bool = false) {
        guard let stream = state.streams[id] else { return }
        let news = (state.changes[stream.device] ?? [:]).filter { $0.value.sequence > stream.last }
        for (pair, change) in news.sorted(by: { $0.value.sequence < $1.value.sequence }) {
            state.streams[id]?.last = change.sequence
            let names = pair.split(separator: " ").map(String.init)
            let eventID = String(change.sequence)
            guard state.things.contains(where: { $0.name.id == names[0] }) else { continue }
            if change.isFound {
                guard case .publication(let message)? = state.things.first(where: { $0.name.id == names[1] })?.order
                else { continue }
                state.outbox.append(
                    (stream, .found(subscription: names[0], message: message, id: names[1], eventID: eventID)))
            } else if !isSnapshot {
                state.outbox.append((stream, .lost(subscription: names[0], id: names[1], eventID: eventID)))
            }
        }
    }

    func token(_ state: inout State) -> Payload {
        state.chance = state.chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let bits = state.chance
        guard let token = try? Payload((0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }) else {
            preconditionFailure("eight bytes")
        }
        return token
    }
}
