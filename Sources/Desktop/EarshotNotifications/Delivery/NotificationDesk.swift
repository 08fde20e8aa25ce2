import EarshotBasics
import EarshotDBus
import EarshotSystem

/// Shows one application's notifications: it manages the connection to the desktop and the list of shown notifications.
actor NotificationDesk {
    private let application: String
    private let bus: DBusBus
    private let limits: NotificationLimits
    private let fallback: NotificationFallback

    private var options: NotificationOptions = []
    private var rate: TokenBucket
    private var waitingCount = 0
    /// The last request; the next one waits for it, so that requests reach the desktop in their order.
    private var last: Task<Void, Never>?

    /// The connection to the service, and its state.
    private struct Link {
        var connection: ServiceConnection?
        var reading: Task<Void, Never>?
        /// Of the connection.
        var number = 0
        /// The unique name of the service; only its signals count.
        var owner: String?
        /// Counts the changes of the owner and the connection: answers from an earlier one are ignored.
        var generation = 0
        var capabilities: Set<String>?
    }

    private var link = Link()
    private var open = OpenNotifications()
    /// After a failure, requests to the desktop pause until this time.
    private var failure: (problem: NotificationProblem, until: ContinuousClock.Instant)?

    init(application: String, bus: DBusBus, limits: NotificationLimits, output: NotificationOutput) {
        self.application = application
        self.bus = bus
        self.limits = limits
        fallback = NotificationFallback(application: application, output: output)
        rate = TokenBucket(burst: Double(limits.burstCount), perSecond: 1 / limits.refillInterval.seconds)
    }

    deinit {
        link.reading?.cancel()
        link.connection?.close()
        open.closeAll(.serviceLeft)
    }

    /// Requests means of notification, and returns those that the desktop supports.
    func authorize(_ options: NotificationOptions) async -> NotificationSettings {
        self.options = options
        return await settings()
    }

    func settings() async -> NotificationSettings {
        var problem: NotificationProblem?
        var found: Set<String> = []
        do throws(NotificationProblem) {
            found = try await service().capabilities
        } catch { problem = remembered(error) }
        let hasBadge = await hasLauncher()
        func setting(_ option: NotificationOptions, _ isSupported: Bool) -> NotificationSettings.Setting {
            isSupported ? options.contains(option) ? .enabled : .disabled : .notSupported
        }
        return NotificationSettings(
            alert: setting(.alert, problem == nil), sound: setting(.sound, found.contains("sound")),
            badge: setting(.badge, hasBadge), capabilities: found, problem: problem)
    }

    /// Shows a notification, after the earlier ones, or writes it to standard error.
    func add(_ request: NotificationRequest) async throws(NotificationError) -> DeliveredNotification {
        guard waitingCount < limits.waitingCount, rate.take(nowSeconds: MonotonicTime.seconds) else { throw .tooMany }
        return await inOrder { await self.show(request) }
    }

    /// Closes the notifications of these identifiers.
    func remove(_ identifiers: [String]) async {
        await inOrder { for identifier in identifiers { await self.close(identifier) } }
    }

    /// The identifiers of the notifications that the desktop shows, the oldest first.
    func openIdentifiers() -> [String] { open.identifiers }

    /// Shows a number on the application's icon.
    func setBadge(_ count: Int) async throws(NotificationError) {
        guard options.contains(.badge), await hasLauncher(), let connection = link.connection else {
            throw .badgeNotSupported
        }
        await connection.emit(
            LauncherBadge.path, LauncherBadge.interface, "Update",
            LauncherBadge.arguments(application: application, count: count))
    }

    nonisolated func warn(_ line: String) {
        fallback.warn(line)
    }

    private func inOrder<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        let earlier = last
        let task = Task {
            await earlier?.value
            return await body()
        }
        waitingCount += 1
        last = Task { _ = await task.value }
        defer { waitingCount -= 1 }
        return await task.value
    }
}

extension NotificationDesk {
    private func show(_ request: NotificationRequest) async -> DeliveredNotification {
        do throws(NotificationProblem) {
            guard options.contains(.alert) else { throw .notAuthorized }
            let events = try await notify(request)
            if let badge = request.content.badge, options.contains(.badge) { await showBadge(badge) }
            return DeliveredNotification(identifier: request.identifier, place: .desktop, events: events)
        } catch {
            fallback.write(request.content, because: error, limits: limits)
            return DeliveredNotification(identifier: request.identifier, place: .standardError(error))
        }
    }

    private func notify(
        _ request: NotificationRequest
    ) async throws(NotificationProblem) -> AsyncStream<NotificationEvent> {
        if link.connection != nil, link.capabilities != nil {
            do throws(NotificationProblem) {
                return try await notifyOnce(request)
            } catch {
                // The known service or bus is gone. There may be a new one, or the bus may start one.
                switch error {
                case .noBus: disconnect()
                case .noService: link.capabilities = nil
                case .slowService, .refused, .notAuthorized: throw remembered(error)
                }
            }
        }
        do throws(NotificationProblem) { return try await notifyOnce(request) } catch { throw remembered(error) }
    }

    private func notifyOnce(
        _ request: NotificationRequest
    ) async throws(NotificationProblem) -> AsyncStream<NotificationEvent> {
        let (connection, capabilities) = try await service()
        let generation = link.generation
        let replaced = open.number(of: request.identifier)
        let arguments = NotifyArguments(
            request.content, replacing: replaced, application: application, capabilities: capabilities,
            options: options, limits: limits)
        let answer = try await connection.call("Notify", arguments.values)
        guard case .uint32(let number)? = answer.first, number > 0 else {
            throw .refused("it answered without a number")
        }
        let events = open.open(number, identifier: request.identifier)
        open.forgetEarlyEvents()
        if generation != link.generation { open.close(number, .serviceLeft) }
        while open.count > limits.openCount, let oldest = open.oldest {
            open.close(oldest, .tooMany)
            _ = try? await connection.call("CloseNotification", [.uint32(oldest)])
        }
        return events
    }

    private func showBadge(_ count: Int) async {
        do throws(NotificationError) { try await setBadge(count) } catch { fallback.warn("\(error)") }
    }

    private func close(_ identifier: String) async {
        guard let number = open.number(of: identifier), let connection = link.connection else { return }
        open.close(number, .removed)
        _ = try? await connection.call("CloseNotification", [.uint32(number)])
    }

    private func hasLauncher() async -> Bool {
        // A hanging bus or service must not delay each badge; a missing service does not matter.
        guard recentProblem != .slowService, let connection = try? connected() else { return false }
        let answer = try? await connection.callBus("NameHasOwner", [.string(LauncherBadge.launcherName)])
        return answer?.first?.boolean ?? false
    }
}

extension NotificationDesk {
    /// The problem of a failure whose pause is not over.
    private var recentProblem: NotificationProblem? {
        failure.flatMap { $0.until > .now ? $0.problem : nil }
    }

    /// The connection, which is created at the first use and after its end.
    private func connected() throws(NotificationProblem) -> ServiceConnection {
        if let connection = link.connection { return connection }
        if let problem = recentProblem { throw problem }
        let made = ServiceConnection(bus, answerTime: limits.answerTime)
        link.connection = made
        link.number += 1
        let (signals, number) = (made.signals, link.number)
        link.reading = Task { [weak self] in
            for await signal in signals { await self?.take(signal, fromConnection: number) }
        }
        return made
    }

    /// The connection and the capabilities of the service, which the bus may have to start.
    private func service() async throws(NotificationProblem) -> (
        connection: ServiceConnection, capabilities: Set<String>
    ) {
        if let problem = recentProblem { throw problem }
        let connection = try connected()
        if let capabilities = link.capabilities { return (connection, capabilities) }
        let generation = link.generation
        let named = try await connection.call("GetCapabilities").first?.elements ?? []
        let name = try await connection.callBus("GetNameOwner", [.string(ServiceSignal.name)]).first?.text
        // A signal received meanwhile is newer than the answer.
        if generation == link.generation || link.owner == nil { link.owner = name }
        let found = Set(named.prefix(Self.maximumCapabilityCount).compactMap(\.text))
        if link.owner == name { link.capabilities = found }
        failure = nil
        return (connection, found)
    }

    private static var maximumCapabilityCount: Int { 256 }

    /// Remembers a failure for a while, so that a missing or slow service delays only one request.
    private func remembered(_ problem: NotificationProblem) -> NotificationProblem {
        // A problem that is already remembered keeps its time.
        if recentProblem != nil { return problem }
        switch problem {
        case .refused, .notAuthorized: return problem
        case .noBus: disconnect()
        case .noService, .slowService: break
        }
        failure = (problem, .now + limits.pauseAfterFailure)
        return problem
    }

    private func take(_ signal: ServiceSignal, fromConnection number: Int) {
        guard number == link.number else { return }
        switch signal {
        case .event(let event, let number, let sender):
            // Any program can send such signals; only those of the service count.
            guard sender == link.owner else { return }
            open.take(event, of: number, isAwaitingNumbers: waitingCount > 0)
        case .owner(let name):
            guard name != link.owner else { return }
            let isFirst = link.owner == nil
            link.owner = name
            link.generation += 1
            link.capabilities = nil
            // A new service may answer where the earlier one failed.
            if name != nil { failure = nil }
            if !isFirst { open.closeAll(.serviceLeft) }
        case .closed:
            disconnect()
        }
    }

    private func disconnect() {
        link.connection?.close()
        link = Link(number: link.number + 1, generation: link.generation + 1)
        open.closeAll(.serviceLeft)
    }
}
