import EarshotDBus

/// A connection to the session bus, for calls to the desktop's notification service.
struct ServiceConnection: Sendable {
    private let bus: DBusConnection
    private let answerTime: Duration
    /// The signals of the service, in the order of the bus.
    let signals: AsyncStream<ServiceSignal>

    /// The maximum number of waiting signals; the oldest are dropped.
    private static let maximumBacklog = 256

    /// Begins to connect.
    init(_ name: DBusBus, answerTime: Duration) {
        let bus = DBusConnection(name)
        let (signals, continuation) = AsyncStream.makeStream(
            of: ServiceSignal.self, bufferingPolicy: .bufferingNewest(Self.maximumBacklog))
        for match in ServiceSignal.matches {
            _ = bus.receive(match) {
                if let signal = ServiceSignal($0) { continuation.yield(signal) }
            } end: {
                continuation.yield(.closed)
                continuation.finish()
            }
        }
        self.bus = bus
        self.answerTime = answerTime
        self.signals = signals
    }

    /// Calls a method of the service.
    func call(_ member: String, _ arguments: [DBusValue] = []) async throws(NotificationProblem) -> [DBusValue] {
        try await call(ServiceSignal.name, ServiceSignal.path, ServiceSignal.name, member, arguments)
    }

    /// Calls a method of the bus itself.
    func callBus(_ member: String, _ arguments: [DBusValue]) async throws(NotificationProblem) -> [DBusValue] {
        try await call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, arguments)
    }

    /// Sends a signal.
    func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue]) async {
        try? await bus.emit(path, interface, member, arguments)
    }

    func close() {
        bus.close()
    }

    private func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue]
    ) async throws(NotificationProblem) -> [DBusValue] {
        let (bus, answerTime) = (bus, answerTime)
        let work = Task { () -> Result<[DBusValue], DBusError> in
            do throws(DBusError) {
                return .success(
                    try await bus.call(destination, path, interface, member, arguments, timeLimit: answerTime))
            } catch { return .failure(error) }
        }
        // A bus that accepts the connection and then stays silent would delay the call, whose own time limit begins
        // later.
        let clock = Task {
            try await Task.sleep(for: answerTime + answerTime)
            work.cancel()
        }
        defer { clock.cancel() }
        do throws(DBusError) { return try await work.value.get() } catch { throw Self.problem(error) }
    }

    private static func problem(_ error: DBusError) -> NotificationProblem {
        switch error {
        case .noReply, .cancelled: return .slowService
        case .disconnected(let reason): return .noBus(NotificationText.cleaned(reason, maximumScalarCount: 200))
        case .malformed(let reason): return .refused(NotificationText.cleaned(reason, maximumScalarCount: 200))
        case .refused(let name, _):
            let text = NotificationText.cleaned(error.description, maximumScalarCount: 200)
            let missing = ["ServiceUnknown", "NameHasNoOwner", "Spawn.", "Disconnected"]
            return missing.contains { name.contains($0) } ? .noService(text) : .refused(text)
        }
    }
}
