import EarshotDiscovery
import NearbyWire

/// The present task of each link, and the present status for each operation's holder.
extension OperationTable {
    /// The registrations, by run.
    var orders: [Int: LeaseDesk.Order] {
        var orders: [Int: LeaseDesk.Order] = [:]
        for entry in entries.values {
            guard let run = entry.run, let order = entry.operation.order else { continue }
            switch run.registration {
            case .unneeded, .refused: break
            case .pending, .failed, .leased:
                orders[run.number] = LeaseDesk.Order(
                    order: order, playsToken: entry.operation.strategy.mode.contains(.broadcast))
            }
        }
        return orders
    }

    /// Whether the service's events should be read.
    var needsEvents: Bool { orders.values.contains(where: \.isSubscription) }

    /// The needs of subscriptions to beacons, by run.
    var beaconNeeds: [Int: BeaconDesk.Need] {
        var needs: [Int: BeaconDesk.Need] = [:]
        for entry in entries.values {
            guard let run = entry.run, let scan = run.scan, let filter = entry.operation.attachmentFilter else {
                continue
            }
            needs[run.number] = BeaconDesk.Need(scan: scan, filter: filter)
        }
        return needs
    }

    /// The needs of all operations in this process, oldest first.
    func wishes(now: Duration) -> [RoomPlan.Wish] {
        entries.sorted { $0.key < $1.key }.compactMap { _, entry in
            guard let run = entry.run else { return nil }
            let operation = entry.operation
            var wish = RoomPlan.Wish(
                mode: operation.strategy.mode.intersection(operation.usefulMode), kinds: run.kinds,
                isSubscription: operation.isSubscription, token: run.registration.lease?.token(now: now),
                awaitsToken: false)
            if case .direct(let payload) = operation.purpose { wish.token = payload }
            if case .pending = run.registration { wish.awaitsToken = true }
            return wish
        }
    }

    /// The operations that the agent should run.
    var keptOrders: Set<String> { Set(entries.values.compactMap { $0.agentRun?.order.id }) }

    func agentOrder(_ id: String) -> AgentDesk.Order? {
        guard let number = number(ofOrder: id), let entry = entries[number], let agentRun = entry.agentRun else {
            return nil
        }
        return AgentDesk.Order(operation: agentRun.order, endsAt: entry.endsAt, known: entry.found.identifiers)
    }

    /// The time at which the next doubt or time to live ends, or the next token must be played; nil for never.
    func nextDate(now: Duration) -> Duration? {
        entries.values.flatMap { entry in
            let next = entry.registration?.lease?.playsAt
            return [entry.found.doubtEndsAt, entry.endsAt, next.flatMap { $0 > now ? $0 : nil }].compactMap(\.self)
        }.min()
    }

    func status(of number: Int, now: Duration) -> OperationStatus {
        guard let entry = entries[number] else { return .inactive }
        guard let run = entry.run else { return entry.agentRun.map { $0.status ?? .starting } ?? .inactive }
        let mode = entry.operation.strategy.mode
        if let scan = run.scan, run.kinds.isEmpty || mode.isEmpty {
            return openScans.contains(scan) && service.session != nil ? .active : .starting
        }
        switch run.registration {
        case .unneeded: return mode.isDisjoint(with: entry.operation.usefulMode) ? .inactive : .active
        case .pending, .failed: return .starting
        case .leased(let lease): return lease.isValid(now: now) ? .active : .starting
        case .refused: return .inactive
        }
    }
}
