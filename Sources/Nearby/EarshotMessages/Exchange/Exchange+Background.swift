import EarshotDiscovery
import Foundation
import NearbyWire

/// Operations that the user's agent keeps.
///
/// An operation that is allowed in the background runs in the agent from its beginning, also while the app is in the foreground.
/// There is no moment at which it passes from one process to another, so no gap, and the service and other devices see one
/// registration. Where there is no agent, or where the agent refuses, the operation runs here.
extension Exchange {
    /// An operation that the agent keeps, or should keep.
    struct Keeping {
        let order: BackgroundOperation
        /// Whether the agent has it.
        var isHeld = false
        var status = OperationStatus.inactive
    }

    /// Gives an operation to the agent, if it belongs there.
    /// - Returns: false if it must run here.
    func keep(_ number: Int) -> Bool {
        guard let operation = entries[number]?.operation, configuration.agent != nil,
            configuration.serviceRefusal == nil
        else { return false }
        guard let order = order(for: operation) else { return false }
        entries[number]?.keeping = Keeping(order: order)
        if let limit = operation.strategy.timeToLive, entries[number]?.timeLimit == nil {
            entries[number]?.timeLimit = Task {
                if (try? await Task.sleep(for: limit)) != nil { operation.end() }
            }
        }
        let client = openedAgent()
        client?.want()
        client?.hold(order, known: entries[number]?.found.identifiers ?? [])
        note("operation \(number): asking earshot-agent to keep it")
        refresh(number)
        return true
    }

    /// The operation as the agent runs it; nil if it is not for the background.
    private func order(for operation: OperationCore) -> BackgroundOperation? {
        let (strategy, beacons) = (operation.strategy, operation.beacons)
        let isNearbyAllowed = strategy.isAllowedInBackground && strategy.uses(.bluetooth) && !strategy.mode.isEmpty
        let wanted = beacons.map {
            BackgroundOperation.Beacons(includesIBeacons: $0.includesIBeacons, prefersLowPower: $0.prefersLowPower)
        }
        func make(_ content: Data?, _ type: String, _ namespace: String, _ mode: DiscoveryMode) -> BackgroundOperation {
            let end = strategy.timeToLive.map { Date().timeIntervalSince1970 + $0 / .seconds(1) }
            // Equal operations of this process differ in the ordinal, which is the same after a restart.
            for ordinal in 1... {
                let order = BackgroundOperation(
                    key: key, service: configuration.serviceURL.absoluteString, content: content, type: type,
                    namespace: namespace, mode: mode, beacons: wanted, endsAt: end, ordinal: ordinal)
                if !entries.values.contains(where: { $0.keeping?.order.id == order.id }) { return order }
            }
            preconditionFailure("the ordinals have no end")
        }
        switch operation.purpose {
        case .message(let message):
            return isNearbyAllowed ? make(message.content, message.type, message.namespace, strategy.mode) : nil
        case .subscription(let namespace, let type):
            guard isNearbyAllowed, beacons?.isAllowedInBackground ?? true else { return nil }
            return make(nil, type, namespace, strategy.mode)
        case .beaconSubscription(let namespace, let type):
            return beacons?.isAllowedInBackground == true ? make(nil, type, namespace, []) : nil
        case .direct, .directSubscription: return nil
        }
    }

    private func openedAgent() -> AgentClient? {
        if let agentClient { return agentClient }
        guard let agent = configuration.agent else { return nil }
        let (input, foreground) = (input, foreground)
        let client = AgentClient(
            agent, app: configuration.applicationIdentifier, isForeground: { foreground.isActive }, note: note
        ) {
            input.yield(.agent($0))
        }
        agentClient = client
        return client
    }

    /// Tells the agent when the app comes to the foreground or leaves it, while the agent keeps anything.
    func updateSituation() {
        let isNeeded = entries.values.contains { $0.keeping != nil }
        if !isNeeded {
            telling?.cancel()
            telling = nil
        } else if telling == nil {
            let (foreground, client) = (foreground, agentClient)
            telling = Task {
                for await isActive in foreground.changes { client?.tell(isForeground: isActive) }
            }
        }
    }

    /// The operation has ended: the agent must not go on with it.
    func releaseFromAgent(_ number: Int) {
        guard let keeping = entries[number]?.keeping else { return }
        agentClient?.release(keeping.order.id)
        board.end(for: .agent(number))
    }

    func take(_ news: AgentNews) {
        switch news {
        case .connected:
            for entry in entries.values {
                guard let keeping = entry.keeping else { continue }
                agentClient?.hold(keeping.order, known: entry.found.identifiers)
            }
        case .held(let id):
            guard let number = number(of: id) else {
                // It ended while the agent was asked.
                agentClient?.release(id)
                return
            }
            note("operation \(number): earshot-agent keeps it")
            entries[number]?.keeping?.isHeld = true
            board.end(for: .agent(number))
            if entries[number]?.isRunning == false { refresh(number) }
        case .refused(let id, let sentence):
            guard let number = number(of: id) else { return }
            note("operation \(number): earshot-agent refuses: \(sentence)")
            entries[number]?.keeping = nil
            runHere(number, because: sentence)
        case .state(let state): take(state)
        case .events(let events): take(events)
        case .away(let sentence):
            for number in entries.keys where entries[number]?.keeping != nil {
                entries[number]?.keeping?.isHeld = false
                runHere(number, because: sentence)
            }
        }
        updateSituation()
    }

    private func number(of id: String) -> Int? { entries.first { $0.value.keeping?.order.id == id }?.key }

    private func runHere(_ number: Int, because sentence: String) {
        board.begin(ManagerProblem(.noBackground(.bluetooth), detail: sentence), for: .agent(number))
        guard let entry = entries[number], entry.permission == .granted, !entry.isRunning else { return }
        if entry.scan == nil, entry.operation.attachmentFilter == nil {
            entries[number]?.found.doubt(until: now + configuration.pace.doubt)
            scheduleDoubt()
        } else {
            // Messages of beacons are in another book here.
            for event in entries[number]?.found.loseAll() ?? [] { entry.operation.events.add(event) }
        }
        startHere(number)
    }

    private func take(_ state: AgentFrame.State) {
        guard let number = number(of: state.id), entries[number]?.keeping?.isHeld == true else { return }
        entries[number]?.keeping?.status = state.operationStatus
        if state.operationStatus == .active, entries[number]?.isRunning == true {
            // The agent has taken it over: until it finds the same messages, they are in doubt, not lost.
            entries[number]?.found.doubt(until: now + configuration.pace.doubt)
            let gone = entries[number]?.beaconMessages.update([]) ?? []
            for event in gone { entries[number]?.operation.events.add(event) }
            stopHere(number)
            scheduleDoubt()
        }
        let problems = state.problems.compactMap(\.managerProblem)
        board.keep(problems, for: .agent(number))
        refresh(number)
    }

    private func take(_ events: AgentFrame.Events) {
        agentClient?.acknowledge(events)
        guard let number = number(of: events.id), let operation = entries[number]?.operation else { return }
        // What the agent kept for a program that did not run is told in any case, also if it is over by now.
        let isOld = events.sequence <= AgentProtocol.maximumWaitingCount
        for event in events.events {
            var news: MessageEvent?
            switch event {
            case .found(let message):
                let received = message.received
                guard (try? received.message.checkReceived()) != nil else { continue }
                news = entries[number]?.found.find(received)
            case .lost(let message): news = entries[number]?.found.lose(message, now: now)
            }
            if let news { operation.events.add(news, isKept: isOld) }
        }
    }
}
