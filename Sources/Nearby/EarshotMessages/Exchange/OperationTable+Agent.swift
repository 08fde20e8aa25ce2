import EarshotDiscovery
import NearbyWire

/// Operations that the user's agent runs.
///
/// An operation that is allowed in the background runs in the agent from its start, also while the app is in the
/// foreground. So it never passes from one process to another: there is no gap, and the service and other devices see
/// one registration. Without an agent, or if the agent refuses, the operation runs in this process.
extension OperationTable {
    /// - Returns: nil if the operation must run here.
    func agentRun(for operation: Operation) -> AgentRun? {
        guard rules.hasAgent else { return nil }
        // Equal operations of this process differ in their ordinals, which stay the same after a restart.
        for ordinal in 1... {
            guard
                let order = operation.backgroundOperation(
                    key: rules.key, service: rules.serviceURL, ordinal: ordinal)
            else { return nil }
            if number(ofOrder: order.id) == nil { return AgentRun(order: order) }
        }
        preconditionFailure("the ordinals have no end")
    }

    func number(ofOrder id: String) -> Int? { entries.first { $0.value.agentRun?.order.id == id }?.key }

    mutating func take(_ news: AgentNews, _ now: Duration) {
        switch news {
        case .connected: agentAbsence = nil
        case .held(let id):
            guard let number = number(ofOrder: id) else {
                // It ended before the agent answered.
                effects.append(.release(id))
                return
            }
            note(number, "earshot-agent keeps it")
            if entries[number]?.agentStatus == nil { entries[number]?.agentStatus = .inactive }
            effects.append(.setProblems([], .agent(number)))
        case .refused(let id, let sentence):
            guard let number = number(ofOrder: id), let entry = entries[number] else { return }
            note(number, "earshot-agent refuses: \(sentence)")
            if let run = entry.run { entries[number]?.state = .here(run) } else { entries[number]?.state = .unable }
            runHere(number, because: sentence, now)
        case .away(let sentence):
            agentAbsence = sentence
            for number in entries.keys where entries[number]?.agentRun != nil {
                entries[number]?.agentStatus = nil
                runHere(number, because: sentence, now)
            }
        case .state(let state): take(state, now)
        case .events(let events): take(events, now)
        // A manager shows none.
        case .notified, .clicked: break
        }
    }

    mutating func runHere(_ number: Int, because sentence: String, _ now: Duration) {
        effects.append(.begin(ManagerProblem(.noBackground(.bluetooth), detail: sentence), .agent(number)))
        guard let entry = entries[number], entry.run == nil else { return }
        if entry.operation.attachmentFilter == nil {
            entries[number]?.found.doubt(until: now + rules.doubt)
        } else {
            // In this process, messages of beacons are in another book.
            tell(number, entries[number]?.found.loseAll() ?? [])
        }
        startHere(number, now)
    }

    private mutating func take(_ state: AgentFrame.State, _ now: Duration) {
        guard let number = number(ofOrder: state.id), entries[number]?.agentStatus != nil else { return }
        entries[number]?.agentStatus = state.operationStatus
        if state.operationStatus == .active, let entry = entries[number], let agentRun = entry.agentRun,
            entry.run != nil
        {
            // The agent has taken it over: until it finds the same messages, they are in doubt, not lost.
            entries[number]?.found.doubt(until: now + rules.doubt)
            stopHere(number, .inAgent(agentRun))
        }
        effects.append(.setProblems(state.problems.compactMap(\.managerProblem), .agent(number)))
    }

    private mutating func take(_ events: AgentFrame.Events, _ now: Duration) {
        guard let number = number(ofOrder: events.id) else { return }
        // The app gets every event that the agent stored while the app was not running, even if the message is lost
        // since.
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
            tell(number, [news].compactMap(\.self), isKept: isOld)
        }
    }
}
