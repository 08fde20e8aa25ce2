import EarshotAgent
import EarshotBasics
import EarshotDBus

/// The machine's sleep, as logind reports it on the system bus. Without logind there are no reports.
///
/// logind's signal comes when the machine is about to sleep. This does not delay the sleep: the D-Bus client has no
/// file descriptors, which logind's inhibitors need. So a provider may finish its `stop` only after the wake.
///
/// When the bus is lost it connects again, after 1 s, then 2 s, up to a minute. It then asks for the present state, so
/// that a missed wake leaves no provider stopped.
final class LogindSleep: SleepWatching {
    private static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"

    private let bus: DBusBus
    private let pauses: BackOff.Bounds

    init(
        bus: DBusBus = .system,
        pauses: BackOff.Bounds = BackOff.Bounds(shortest: .seconds(1), longest: .seconds(60))
    ) {
        self.bus = bus
        self.pauses = pauses
    }

    func sleeps() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        let (bus, pauses) = (bus, pauses)
        let task = Task {
            var backOff = BackOff(pauses)
            while !Task.isCancelled {
                if await Self.follow(bus, { continuation.yield($0) }) { backOff.reset() }
                try? await Task.sleep(for: backOff.pause())
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Follows one connection until it ends.
    /// - Returns: whether the bus answered.
    private static func follow(_ bus: DBusBus, _ tell: (Bool) -> Void) async -> Bool {
        let connection = DBusConnection(bus)
        defer { connection.close() }
        let signals = connection.signals(
            DBusMatch(sender: name, path: path, interface: manager, member: "PrepareForSleep"))
        let owners = connection.signals(
            DBusMatch(
                sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
                firstArgument: name))
        var hasAnswered = false
        for await event in merged(signals, owners) {
            switch event {
            case .signal(let isAsleep): tell(isAsleep)
            // The connection or logind is new.
            case .ask:
                do throws(DBusError) {
                    let answer = try await connection.call(
                        name, path, "org.freedesktop.DBus.Properties", "Get",
                        [.string(manager), .string("PreparingForSleep")])
                    if let isAsleep = answer.first?.boolean { tell(isAsleep) }
                    hasAnswered = true
                } catch {
                    // A bus without logind.
                    if case .refused = error { hasAnswered = true }
                }
            }
        }
        return hasAnswered
    }

    private enum Event {
        case signal(Bool)
        case ask
    }

    /// A query first, then the signals of both streams until one of them ends.
    private static func merged(_ signals: AsyncStream<DBusSignal>, _ owners: AsyncStream<DBusSignal>) -> AsyncStream<
        Event
    > {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
        continuation.yield(.ask)
        let tasks = [
            Task {
                for await signal in signals {
                    if let isAsleep = signal.arguments.first?.boolean { continuation.yield(.signal(isAsleep)) }
                }
                continuation.finish()
            },
            Task {
                for await owner in owners where owner.arguments.last?.text?.isEmpty == false {
                    continuation.yield(.ask)
                }
                continuation.finish()
            },
        ]
        continuation.onTermination = { _ in for task in tasks { task.cancel() } }
        return stream
    }
}
