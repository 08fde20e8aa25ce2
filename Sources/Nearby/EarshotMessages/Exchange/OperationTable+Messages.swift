import EarshotCoding
import EarshotDiscovery

/// Events of the room, the service and beacons, and the messages found by them.
extension OperationTable {
    private static var maximumStrayCount: Int { 64 }

    // MARK: The room

    mutating func hear(_ payload: Payload, on kind: DiscoveryMediumKind) {
        let isNew = near[payload] == nil
        near[payload, default: []].insert(kind)
        for number in entries.keys { give(payload, to: number) }
        if isNew, DirectMessage.content(payload) == nil { effects.append(.heard(payload)) }
    }

    mutating func lose(_ payload: Payload, on kind: DiscoveryMediumKind, _ now: Duration) {
        near[payload]?.remove(kind)
        if near[payload]?.isEmpty == true { near[payload] = nil }
        if let received = DirectMessage.received(payload) {
            for (number, entry) in entries where !isNear(payload, entry) {
                tell(number, [entries[number]?.found.lose(received.id, now: now)].compactMap(\.self))
            }
        } else if near[payload] == nil {
            effects.append(.gone(payload))
        }
    }

    /// Gives an operation a direct message that is near.
    mutating func give(_ payload: Payload, to number: Int) {
        guard let entry = entries[number], entry.operation.takesDirectMessages, isNear(payload, entry),
            let received = DirectMessage.received(payload)
        else { return }
        tell(number, [entries[number]?.found.find(received)].compactMap(\.self))
    }

    private func isNear(_ payload: Payload, _ entry: Entry) -> Bool {
        guard let kinds = near[payload], let run = entry.run else { return false }
        return !kinds.isDisjoint(with: run.kinds)
    }

    // MARK: The service

    mutating func take(_ news: ServiceNews, _ now: Duration) {
        switch news {
        case .opened(let session): service.session = session
        case .unopened:
            for (number, entry) in entries {
                if case .pending? = entry.registration { entries[number]?.registration = .failed }
            }
        case .lost(let session): lose(session, now)
        case .registered(let run, let lease, service.session): register(run, lease, now)
        case .unregistered(let run, let isGone, service.session):
            guard let number = number(ofRun: run), isGone || entries[number]?.registration?.lease == nil else { return }
            entries[number]?.registration = .failed
            // The service reports nothing for a subscription that it has ended, not even losses.
            if isGone { entries[number]?.found.doubt(until: now + rules.doubt) }
        case .refused(let run, let failure):
            guard let number = number(ofRun: run) else { return }
            entries[number]?.registration = .refused
            effects.append(.begin(failure.problem, .operation(number)))
        case .reported(service.session): service.lastSignOfLife = now
        case .event(let event, service.session): take(event, now)
        case .streamEnded(service.session): service.hasStream = false
        case .registered, .unregistered, .reported, .event, .streamEnded, .lookedUp: break
        }
    }

    /// The service no longer knows the session: all operations register again in a new one.
    private mutating func lose(_ session: ServiceSession, _ now: Duration) {
        guard service.session == session else { return }
        service.session = nil
        service.hasStream = false
        service.strayEvents = []
        effects.append(.lost(session))
        for (number, entry) in entries {
            guard let run = entry.run else { continue }
            if run.registration.lease != nil { entries[number]?.registration = .pending }
            entries[number]?.found.doubt(until: now + rules.doubt)
        }
    }

    private mutating func register(_ run: Int, _ lease: Lease, _ now: Duration) {
        guard let number = number(ofRun: run) else { return }
        let isNew = entries[number]?.registration?.lease?.name != lease.name
        entries[number]?.registration = .leased(lease)
        guard isNew else { return }
        if lease.name.kind == .publication { return effects.append(.published) }
        let own = service.strayEvents.filter { $0.subscription == lease.name.id }
        service.strayEvents.removeAll { $0.subscription == lease.name.id }
        for event in own { deliver(event, to: number, now) }
    }

    private mutating func take(_ event: ServiceEvent, _ now: Duration) {
        let outage = service.lastSignOfLife.map { now - $0 } ?? .zero
        service.lastSignOfLife = now
        switch event {
        case .ready(let isResumed):
            service.hasStream = true
            for (number, entry) in entries where entry.run != nil {
                if !isResumed { entries[number]?.found.doubt(until: now + rules.doubt) }
                if outage > rules.outage { entries[number]?.found.settle(until: now + rules.doubt) }
            }
        case .found(let subscription, _, _, _), .lost(let subscription, _, _):
            let name = RegistrationName(.subscription, subscription)
            if let number = entries.first(where: { $0.value.registration?.lease?.name == name })?.key {
                deliver(event, to: number, now)
            } else {
                service.strayEvents.append(event)
                if service.strayEvents.count > Self.maximumStrayCount { service.strayEvents.removeFirst() }
            }
        case .end: if let session = service.session { lose(session, now) }
        case .quiet: break
        }
    }

    private mutating func deliver(_ event: ServiceEvent, to number: Int, _ now: Duration) {
        guard case .subscription(let namespace, let type)? = entries[number]?.operation.purpose else { return }
        switch event {
        case .found(_, let message, let id, _):
            // The service is not trusted: messages that do not match the subscription, or exceed the limits, are
            // ignored.
            guard (try? message.check()) != nil, message.namespace == namespace, type.isEmpty || message.type == type
            else { return }
            let received = ReceivedMessage(message: message, isAuthenticated: true, id: id)
            tell(number, [entries[number]?.found.find(received)].compactMap(\.self))
        case .lost(_, let id, _):
            tell(number, [entries[number]?.found.lose(id, now: now)].compactMap(\.self))
        case .ready, .end, .quiet: break
        }
    }

    // MARK: Beacons

    mutating func setBeaconMessages(of number: Int, to attachments: [BeaconAttachment]) {
        tell(number, entries[number]?.beaconMessages.update(attachments) ?? [])
    }
}

extension ServiceEvent {
    /// The subscription that the event belongs to; nil if it belongs to none.
    fileprivate var subscription: String? {
        switch self {
        case .found(let subscription, _, _, _), .lost(let subscription, _, _): subscription
        case .ready, .end, .quiet: nil
        }
    }
}
