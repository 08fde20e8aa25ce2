import EarshotBasics
import EarshotDiscovery

/// Reads found and lost events from the service.
extension Exchange {
    /// Events kept for unknown subscriptions: they may arrive before the answer that names the subscription.
    private static var maximumStrayCount: Int { 64 }
    /// A connection that lived this long resets the back-off.
    private static var goodConnection: Duration { .seconds(5) }

    /// Reads the service's events until the task is cancelled. It reconnects whenever a connection ends.
    func keepReading() async {
        var backOff = BackOff(configuration.backOff)
        while !Task.isCancelled, let session = await currentSession(), !Task.isCancelled {
            let begin = now
            var failure: ServiceFailure?
            do {
                for try await event in service.events(in: session, after: lastEventID) {
                    if Task.isCancelled || self.session != session { break }
                    take(event, in: session)
                }
            } catch {
                failure = error as? ServiceFailure ?? .unreachable("the event stream failed")
            }
            // Reports are the signs of life from now on.
            reporter.hasStream = false
            wakeReporting()
            if Task.isCancelled || self.session != session { return }
            if let failure, failure.isBadSession {
                lost(session)
                return
            }
            if now - begin >= Self.goodConnection { backOff.reset() }
            if let failure { board.replace(failure.problem, for: .reading) }
            try? await Task.sleep(for: backOff.spreadPause(retryAfter: failure?.retryAfter))
        }
    }

    private func take(_ event: ServiceEvent, in session: ServiceSession) {
        let outage = lastSignOfLife.map { now - $0 } ?? .zero
        lastSignOfLife = now
        switch event {
        case .ready(let isResumed):
            succeeded(in: session, .reading)
            reporter.hasStream = true
            let until = now + configuration.pace.doubt
            for number in entries.keys {
                if !isResumed { entries[number]?.found.doubt(until: until) }
                if outage > configuration.pace.outage { entries[number]?.found.settle(until: until) }
            }
            if !isResumed { lastEventID = nil }
        case .found(let subscription, _, _, let eventID), .lost(let subscription, _, let eventID):
            if let eventID { lastEventID = eventID }
            let name = RegistrationName(.subscription, subscription)
            if let number = entries.first(where: { $0.value.lease?.name == name })?.key {
                deliver(event, to: number)
            } else {
                strayEvents.append(event)
                if strayEvents.count > Self.maximumStrayCount { strayEvents.removeFirst() }
            }
        case .end: lost(session)
        case .quiet: break
        }
        scheduleDoubt()
    }

    /// Delivers the events that arrived before the answer to subscribing.
    func deliverStrayEvents(of name: RegistrationName) {
        guard name.kind == .subscription, let number = entries.first(where: { $0.value.lease?.name == name })?.key
        else { return }
        let own = strayEvents.filter { $0.subscription == name.id }
        strayEvents.removeAll { $0.subscription == name.id }
        for event in own { deliver(event, to: number) }
    }

    private func deliver(_ event: ServiceEvent, to number: Int) {
        guard let operation = entries[number]?.operation,
            case .subscription(let namespace, let type) = operation.purpose
        else { return }
        let news: MessageEvent?
        switch event {
        case .found(_, let message, let id, _):
            // The service is not trusted: messages that the app did not ask for, or that exceed the limits, are ignored.
            guard (try? message.check()) != nil, message.namespace == namespace, type.isEmpty || message.type == type
            else { return }
            news = entries[number]?.found.find(ReceivedMessage(message: message, isAuthenticated: true, id: id))
        case .lost(_, let id, _): news = entries[number]?.found.lose(id, now: now)
        default: news = nil
        }
        if let news { operation.events.add(news) }
    }

    /// Schedules the end of the next doubt.
    func scheduleDoubt() {
        doubting?.cancel()
        guard let end = entries.values.compactMap(\.found.doubtEndsAt).min() else {
            doubting = nil
            return
        }
        let pause = max(end - now, .zero)
        doubting = Task {
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            endDoubts()
        }
    }

    private func endDoubts() {
        for (number, entry) in entries {
            for event in entries[number]?.found.expire(now: now) ?? [] { entry.operation.events.add(event) }
        }
        scheduleDoubt()
    }
}

extension ServiceEvent {
    /// The subscription that the event belongs to; nil if it belongs to none.
    fileprivate var subscription: String? {
        switch self {
        case .found(let subscription, _, _, _), .lost(let subscription, _, _): subscription
        default: nil
        }
    }
}
