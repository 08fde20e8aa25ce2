import EarshotAgent
import EarshotDBus

/// The machine's sleep, as logind tells it on the system bus. Without logind it tells nothing.
///
/// logind's signal comes when the machine is about to sleep. This does not delay the sleep: the D-Bus client has no file
/// descriptors, which logind's inhibitors need. So a provider may finish its `stop` only after the machine woke.
final class LogindSleep: SleepWatching {
    private let bus: DBusBus

    init(bus: DBusBus = .system) { self.bus = bus }

    func sleeps() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        let connection = DBusConnection(bus)
        let match = DBusMatch(
            sender: "org.freedesktop.login1", path: "/org/freedesktop/login1",
            interface: "org.freedesktop.login1.Manager", member: "PrepareForSleep")
        let reception = connection.receive(match) { signal in
            if let isAsleep = signal.arguments.first?.boolean { continuation.yield(isAsleep) }
        }
        continuation.onTermination = { _ in
            reception.cancel()
            connection.close()
        }
        return stream
    }
}
