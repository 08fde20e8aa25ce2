import EarshotDBus
import Synchronization

/// Follows the situation: after any sign of a change it reads the whole situation again, so it has no memory that could
/// become wrong.
struct NetworkWatch: Sendable {
    /// The bus of the services.
    let bus: DBusBus
    let kernel: any Kernel

    /// Changes come in bursts; the watch reads the situation at most once in this time.
    private static let pause = Duration.milliseconds(50)
    /// How long a Wi-Fi connection may be without an access point before its network counts as left: a device that roams leaves
    /// one access point shortly before it joins the next.
    private static let roamingTime = Duration.milliseconds(500)
    /// The maximum number of readings if objects vanish during a reading.
    private static let maximumReadingCount = 10
    private static let firstRetry = Duration.milliseconds(200)
    private static let maximumRetry = Duration.seconds(5)

    /// Reports each new situation until the task is cancelled.
    func run(_ report: (NetworkSituation) -> Void) async {
        let (pokes, poke) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let changes = kernel.receiveChanges { poke.yield() }
        defer { changes.cancel() }
        var services: Services?
        defer { services?.close() }
        var retry = Self.firstRetry
        var connectAt = ContinuousClock.now
        var withoutAccessPointSince: ContinuousClock.Instant?
        var last: NetworkSituation?
        poke.yield()
        for await _ in pokes {
            if Task.isCancelled { return }
            if let ended = services, ended.isClosed {
                ended.close()
                services = nil
                connectAt = .now + retry
                Self.poke(poke, after: retry)
                retry = min(retry * 2, Self.maximumRetry)
            }
            if services == nil, connectAt <= .now { services = Services(bus) { poke.yield() } }
            let reading = await reading(services?.connection)
            if Task.isCancelled { return }
            if reading.source != .kernel { retry = Self.firstRetry }
            if reading.isWithoutAccessPoint {
                let since = withoutAccessPointSince ?? .now
                withoutAccessPointSince = since
                let left = since + Self.roamingTime - .now
                if left > .zero, last != nil {
                    Self.poke(poke, after: left)
                    continue
                }
            } else {
                withoutAccessPointSince = nil
            }
            if reading.situation != last { report(reading.situation) }
            last = reading.situation
            try? await Task.sleep(for: Self.pause)
        }
    }

    private static func poke(_ poke: AsyncStream<Void>.Continuation, after time: Duration) {
        Task {
            try? await Task.sleep(for: time)
            poke.yield()
        }
    }

    /// The reading of the first source that has one.
    private func reading(_ connection: DBusConnection?) async -> NetworkReading {
        if let connection {
            if let reading = await Self.retried({ () async throws(DBusError) in
                try await NetworkManagerReader(connection: connection, kernel: kernel).reading()
            }) {
                return reading
            }
            if let reading = await Self.retried({ () async throws(DBusError) in
                try await IwdReader(connection: connection, kernel: kernel).reading()
            }) {
                return reading
            }
        }
        do throws(KernelError) {
            return NetworkReading(primary: try kernel.picture().primary, source: .kernel)
        } catch {
            return NetworkReading(
                primary: nil, source: .kernel,
                problem: "Cannot tell the network: neither NetworkManager nor iwd tells it, and \(error).")
        }
    }

    /// Reads again if an object has just vanished.
    /// - Returns: nil if the service is missing or refuses, so that the next source is used.
    private static func retried(
        _ read: () async throws(DBusError) -> NetworkReading?
    ) async -> NetworkReading? {
        for _ in 0..<maximumReadingCount {
            do throws(DBusError) {
                return try await read()
            } catch {
                guard error.isRefusal("UnknownObject") || error.isRefusal("UnknownMethod") else { return nil }
                try? await Task.sleep(for: pause)
            }
        }
        return nil
    }
}

/// A source's answer.
struct NetworkReading: Sendable, Equatable {
    var primary: Network?
    var source: NetworkSource
    var problem: String?
    /// Whether the primary connection is a Wi-Fi one without an access point at the moment.
    var isWithoutAccessPoint = false

    var situation: NetworkSituation { NetworkSituation(primary: primary, source: source, problem: problem) }
}

/// A connection to the bus, and the signals of the services on it.
private final class Services: Sendable {
    let connection: DBusConnection
    private let ended: Flag
    private let receptions: [DBusReception]

    /// A flag that is set once.
    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    /// Begins to connect. `poke` is called after each signal that may change the situation, and when the connection ends.
    init(_ bus: DBusBus, _ poke: @escaping @Sendable () -> Void) {
        let (connection, ended) = (DBusConnection(bus), Flag())
        self.connection = connection
        self.ended = ended
        let names = [NetworkManagerName.service, IwdName.service, ModemManagerName.service].map {
            DBusMatch(sender: BusName.service, member: "NameOwnerChanged", firstArgument: $0)
        }
        let matches = names + NetworkManagerName.changes + IwdName.changes + ModemManagerName.changes
        receptions = matches.map { match in
            connection.receive(match) { signal in
                if NetworkManagerName.mayChangeNetwork(signal) { poke() }
            } end: {
                ended.set()
                poke()
            }
        }
    }

    var isClosed: Bool { ended.isSet }

    func close() {
        for reception in receptions { reception.cancel() }
        connection.close()
    }
}

/// The names of the bus itself, and the interfaces of each service.
enum BusName {
    static let service = "org.freedesktop.DBus"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
}

extension DBusConnection {
    /// How long a service may take to answer. A hanging service must not delay the kernel's answer.
    private static var answerTime: Duration { .seconds(2) }

    /// Calls a method, with the time limit of the watch.
    func ask(
        _ service: String, _ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = []
    ) async throws(DBusError) -> [DBusValue] {
        try await call(service, path, interface, member, arguments, timeLimit: Self.answerTime)
    }

    /// The properties of an interface of an object.
    func properties(_ service: String, _ path: String, _ interface: String) async throws(DBusError) -> [String:
        DBusValue]
    {
        try await ask(service, path, BusName.properties, "GetAll", [.string(interface)]).first?.named ?? [:]
    }
}
