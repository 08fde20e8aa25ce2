import EarshotCoding
import EarshotDiscovery

/// The room: opens media, plays tokens, and takes what the media hear.
extension Exchange {
    /// The media that an operation runs on. A medium that the strategy names in vain is a problem.
    func choose(for operation: OperationCore) -> Set<DiscoveryMediumKind> {
        let rooms = openedRooms()
        let strategy = operation.strategy
        for kind in (strategy.media ?? []).subtracting(rooms.keys) {
            board.begin(
                ManagerProblem(.unsupportedMedium(kind), detail: "The medium \"\(kind.name)\" does not exist here."),
                for: .operation(operation.number))
        }
        let wanted = rooms.keys.filter { strategy.media?.contains($0) ?? true }
        for kind in wanted where !strategy.uses(kind) {
            board.begin(
                ManagerProblem(
                    .noBackground(kind), detail: "The medium \"\(kind.name)\" does not run in the background."),
                for: .operation(operation.number))
        }
        return Set(wanted.filter { strategy.uses($0) })
    }

    private func openedRooms() -> [DiscoveryMediumKind: RoomMedium] {
        if let rooms { return rooms }
        var opened: [DiscoveryMediumKind: RoomMedium] = [:]
        for medium in configuration.media() where opened[medium.kind] == nil {
            let (input, kind) = (input, medium.kind)
            opened[kind] = RoomMedium(
                medium, turn: configuration.pace.tokenTurn, confirmation: configuration.pace.confirmation
            ) {
                input.yield(.room(kind, $0))
            }
        }
        rooms = opened
        return opened
    }

    /// Gives each medium its part of the plan, if the part changed.
    func plan() {
        guard let rooms else { return }
        let wishes = entries.values.filter(\.isRunning).sorted { $0.operation.number < $1.operation.number }.map(wish)
        let plan = RoomPlan(wishes, on: Set(rooms.keys))
        for (kind, room) in rooms where parts[kind, default: RoomPlan.Part()] != plan[kind] {
            parts[kind] = plan[kind]
            room.set(plan[kind])
        }
    }

    private func wish(_ entry: Entry) -> RoomPlan.Wish {
        let operation = entry.operation
        var wish = RoomPlan.Wish(
            mode: operation.strategy.mode.intersection(operation.usefulMode), kinds: entry.kinds,
            isSubscription: operation.isSubscription,
            token: entry.lease?.token(now: now), awaitsToken: false)
        switch operation.purpose {
        case .direct(let payload): wish.token = payload
        case .directSubscription, .beaconSubscription: break
        case .message, .subscription:
            wish.awaitsToken = entry.lease == nil && !entry.hasFailed && !entry.isRefused
        }
        return wish
    }

    /// A device came or went, or a medium has a problem.
    func take(_ event: RoomEvent, on kind: DiscoveryMediumKind) {
        switch event {
        case .heard(let payload):
            let isNew = near[payload] == nil
            near[payload, default: []].insert(kind)
            if let received = DirectMessage.received(payload) {
                for number in entries.keys { give(received, of: payload, to: number) }
            } else if isNew {
                reporter.hear(payload, now: now)
                wakeReporting()
            }
        case .gone(let payload):
            near[payload]?.remove(kind)
            if near[payload]?.isEmpty == true { near[payload] = nil }
            if let received = DirectMessage.received(payload) {
                for number in entries.keys { take(received, of: payload, from: number) }
            } else if near[payload] == nil {
                reporter.lose(payload)
                wakeReporting()
            }
        case .problem(let problem, let detail):
            board.begin(ManagerProblem(.medium(problem, kind), detail: detail), for: .room)
        case .solved(let problem): board.end(.medium(problem, kind), for: .room)
        }
    }

    /// The time since a token that is near was last heard, on any medium.
    func age(of payload: Payload) -> Duration? {
        (near[payload] ?? []).compactMap { rooms?[$0]?.lastHeard(payload) }.max()
            .map { max($0.duration(to: .now), .zero) }
    }

    /// Gives a new subscription the direct messages that are near already.
    func giveDirectMessages(to number: Int) {
        for payload in near.keys {
            if let received = DirectMessage.received(payload) { give(received, of: payload, to: number) }
        }
    }

    private func give(_ received: ReceivedMessage, of payload: Payload, to number: Int) {
        guard let entry = entries[number], entry.isRunning, entry.operation.takesDirectMessages,
            isNear(payload, entry), let event = entries[number]?.found.find(received)
        else { return }
        entry.operation.events.add(event)
    }

    private func take(_ received: ReceivedMessage, of payload: Payload, from number: Int) {
        guard let entry = entries[number], !isNear(payload, entry),
            let event = entries[number]?.found.lose(received.id, now: now)
        else { return }
        entry.operation.events.add(event)
    }

    private func isNear(_ payload: Payload, _ entry: Entry) -> Bool {
        near[payload].map { !$0.isDisjoint(with: entry.kinds) } ?? false
    }
}
