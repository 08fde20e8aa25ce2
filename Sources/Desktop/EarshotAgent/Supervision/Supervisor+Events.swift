import EarshotMessages
import NearbyWire

/// Found and lost: each process of an app gets each event once.
extension Supervisor {
    func found(_ received: ReceivedMessage, of id: String, app: String) {
        guard apps[app]?.runs[id] != nil, let index = apps[app]?.index(of: id) else { return }
        apps[app]?.runs[id]?.near[received.id] = received
        apps[app]?.runs[id]?.doubts[received.id] = nil
        let isNew = apps[app]?.state.operations[index].seen.contains(received.id) == false
        if isNew { see(received.id, index, app) }
        guard isClaimed(id, app: app) else {
            guard isNew else { return }
            enqueue(.found(AgentMessage(received)), of: id, app: app)
            options.log("\(app): found a message for \(id), while the app does not run")
            saveNow(app)
            return considerStart(app)
        }
        let frames = clients.keys.compactMap { frame(telling: received, of: id, app, to: $0) }
        // Written to the disk before it is sent: if this agent and the app are killed now, the next process of the app
        // gets it.
        saveNow(app)
        for (connection, frame) in frames { connection.send(frame) }
    }

    func lost(_ message: String, of id: String, app: String) {
        guard let index = apps[app]?.index(of: id) else { return }
        apps[app]?.runs[id]?.near[message] = nil
        apps[app]?.runs[id]?.doubts[message] = nil
        apps[app]?.state.operations[index].seen.removeAll { $0 == message }
        if isClaimed(id, app: app) {
            for number in clients.keys { tell(lost: message, of: id, app, to: number) }
        } else if apps[app]?.state.operations[index].waiting.contains(where: { $0.message?.id == message }) == true {
            // A new process knows only the waiting events.
            enqueue(.lost(message), of: id, app: app)
        }
        saveSoon(app)
    }

    private func see(_ message: String, _ index: Int, _ app: String) {
        apps[app]?.state.operations[index].seen.append(message)
        if let count = apps[app]?.state.operations[index].seen.count, count > AppState.maximumSeenCount {
            apps[app]?.state.operations[index].seen.removeFirst()
        }
    }

    /// Stores an event for the next process of the app.
    func enqueue(_ event: AgentEvent, of id: String, app: String) {
        guard let index = apps[app]?.index(of: id) else { return }
        apps[app]?.state.operations[index].wait(event)
    }

    /// The frame that reports a message to a process with the operation; nil if the process knows the message.
    private func frame(
        telling received: ReceivedMessage, of id: String, _ app: String, to number: Int
    ) -> (AgentConnection, AgentFrame)? {
        guard clients[number]?.app == app,
            clients[number]?.claims[id]?.known.insert(received.id).inserted == true
        else { return nil }
        return frame(.found(AgentMessage(received)), of: id, to: number)
    }

    /// Reports a lost message to a process with the operation, if it knows the message.
    private func tell(lost message: String, of id: String, _ app: String, to number: Int) {
        guard clients[number]?.app == app, clients[number]?.claims[id]?.known.remove(message) != nil else { return }
        send(.lost(message), of: id, to: number)
    }

    private func send(_ event: AgentEvent, of id: String, to number: Int) {
        guard let (connection, frame) = frame(event, of: id, to: number) else { return }
        connection.send(frame)
    }

    /// The next event for a process, unacknowledged from now on.
    private func frame(_ event: AgentEvent, of id: String, to number: Int) -> (AgentConnection, AgentFrame)? {
        guard var claim = clients[number]?.claims[id], let connection = clients[number]?.connection else { return nil }
        claim.sequence += 1
        claim.unacknowledged.append((claim.sequence, event))
        clients[number]?.claims[id] = claim
        return (
            connection, AgentFrame.events(AgentFrame.Events(id: id, sequence: claim.sequence, events: [event]))
        )
    }

    /// A process has just claimed an operation: it gets the waiting events, and then the difference between the
    /// messages that it knows and the near ones.
    func bringUpToDate(_ id: String, _ app: String, _ number: Int) {
        guard let index = apps[app]?.index(of: id), let run = apps[app]?.runs[id] else { return }
        removeNotifications(of: app)
        for event in apps[app]?.state.operations[index].waiting ?? [] {
            switch event {
            case .found(let message):
                // The process may know the message from the last agent, which ended before the acknowledgement came.
                // For a message that was lost in between, two events wait, and the process gets both.
                if clients[number]?.claims[id]?.known.insert(message.id).inserted == true {
                    send(event, of: id, to: number)
                }
            case .lost(let message): tell(lost: message, of: id, app, to: number)
            }
        }
        // They count as stored until the process acknowledges them: `close` stores the rest again.
        apps[app]?.state.operations[index].waiting = []
        for received in run.near.values.sorted(by: { $0.id < $1.id }) {
            if !(apps[app]?.state.operations[index].seen.contains(received.id) ?? true) { see(received.id, index, app) }
            if let (connection, frame) = frame(telling: received, of: id, app, to: number) { connection.send(frame) }
        }
        for message in clients[number]?.claims[id]?.known ?? [] where run.near[message] == nil {
            doubt(message, of: id, app: app)
        }
    }

    func acknowledge(_ acknowledgement: ClientFrame.Acknowledgement, _ app: String, _ number: Int) {
        let id = acknowledgement.id
        guard let claim = clients[number]?.claims[id] else { return }
        clients[number]?.claims[id]?.unacknowledged.removeAll { $0.sequence <= acknowledgement.sequence }
        guard claim.unacknowledged.contains(where: { $0.sequence <= acknowledgement.sequence }) else { return }
        // The app works: it may be started again soon.
        apps[app]?.state.starts.failureCount = 0
        saveSoon(app)
    }

    // MARK: Doubt

    /// The app knows a message that was not found in this run: report it lost unless it is found soon.
    func doubt(_ message: String, of id: String, app: String) {
        guard apps[app]?.runs[id]?.doubts[message] == nil else { return }
        apps[app]?.runs[id]?.doubts[message] = monotonicSeconds + options.internals.doubtSeconds
        scheduleDoubt(app)
    }

    private func scheduleDoubt(_ app: String) {
        apps[app]?.tasks.doubting?.cancel()
        let end = apps[app]?.runs.values.compactMap { $0.doubts.values.min() }.min()
        apps[app]?.tasks.doubting = end.map { later($0 - monotonicSeconds, .doubtDue(app: app)) }
    }

    func endDoubts(_ app: String) {
        let now = monotonicSeconds
        for (id, run) in apps[app]?.runs ?? [:] {
            for (message, end) in run.doubts where end <= now { lost(message, of: id, app: app) }
        }
        scheduleDoubt(app)
    }
}
