import EarshotDBus
import EarshotDiscovery
import EarshotSystem
import Synchronization

/// Scans with an adapter that is ready, round after round, and reports what it receives.
final class ScanSession: Sendable {
    /// The messages of bluetoothd, in their order.
    private enum Input: Sendable {
        case changed(path: String, properties: [String: DBusValue])
        case removed(path: String)
        case found(path: String, AdvertisementPattern)
        /// The answer to a query for a device's properties; nil if there was none.
        case answered(path: String, properties: [String: DBusValue]?)
    }

    /// The maximum number of inputs that wait.
    private static let maximumBacklog = 4_096
    /// The maximum number of queries for properties that wait for an answer.
    private static let maximumQuestionCount = 8
    /// The minimum remainder of a round for which a scan is started again.
    private static let minimumScan = Duration.milliseconds(200)

    private let adapter: ReadyAdapter
    private let plan: ScanPlan
    private let gate: RadioGate
    /// Whether the adapter continued to scan when the last round ended, because another program requests it.
    private let isShared = Atomic(false)

    init(adapter: ReadyAdapter, plan: ScanPlan) {
        self.adapter = adapter
        self.plan = plan
        gate = RadioGate(adapter.radioFolder)
        gate.follow()
    }

    /// Scans until the task is cancelled.
    /// - Parameters:
    ///   - learned: receives the kind of bluetoothd before the scan begins.
    ///   - began: called whenever the adapter began to scan.
    ///   - report: receives each reception.
    func run(
        learned: (BluetoothdKind) -> Void, began: @Sendable () -> Void,
        report: @escaping @Sendable (ReceivedAdvertisement) -> Void
    ) async throws(DBusError) {
        let (inputs, input) = AsyncStream.makeStream(
            of: Input.self, bufferingPolicy: .bufferingNewest(Self.maximumBacklog))
        let receptions = receive(input)
        let reading = Task {
            await read(inputs, input, report)
        }
        defer {
            for reception in receptions { reception.cancel() }
            input.finish()
            reading.cancel()
        }
        let offersMonitors = try await MonitorScan.isOffered(adapter)
        learned(BluetoothdKind(offersMonitors: offersMonitors))
        if offersMonitors, plan.patterns.count <= MonitorScan.maximumPatternCount {
            let monitors = MonitorScan(adapter, plan.patterns) { input.yield(.found(path: $0, $1)) }
            defer { monitors.close() }
            do throws(DBusError) {
                try await rounds(monitors, began)
            } catch {
                // Without monitors, a kernel or controller can still scan with `StartDiscovery`.
                guard error.isRefusal("NotSupported") || error.isRefusal("Failed") else { throw error }
            }
        }
        try await rounds(DiscoveryScan(adapter: adapter), began)
    }

    private func rounds(_ way: some ScanWay, _ began: @Sendable () -> Void) async throws(DBusError) {
        let rounds = ScanRounds(plan.power)
        while true {
            let planned = Self.now + rounds.duration(beginningAt: Self.now)
            // After an interruption for an advertisement, the round continues.
            repeat {
                try await round(way, until: planned, began)
            } while planned - Self.now > Self.minimumScan
            // Counted from the planned end, even if bluetoothd was slow: a late end must not cost a period.
            let next = planned + ScanRounds.rest(endingAt: planned)
            do throws(DBusError) {
                isShared.store(try await adapter.isDiscovering, ordering: .relaxed)
            } catch {
                // No signal reports when the system starts to deny access.
                if error.isAccessDenied { throw error }
            }
            try await pause(next - Self.now)
        }
    }

    /// The machine's monotonic clock, which all programs share.
    private static var now: Duration { .nanoseconds(MonotonicTime.nanoseconds) }

    private func round(_ way: some ScanWay, until end: Duration, _ began: @Sendable () -> Void)
        async throws(DBusError)
    {
        await gate.enter()
        defer { gate.leave() }
        do throws(DBusError) {
            guard try await way.begin(unless: { gate.isQuietWanted }) else {
                // The next round waits until it is quiet no longer.
                if Task.isCancelled { throw DBusError.cancelled }
                return
            }
            began()
            await gate.sleep(end - Self.now)
            if Task.isCancelled { throw DBusError.cancelled }
        } catch {
            // The task may be cancelled, but the radio must still stop.
            await Task { await way.end() }.value
            throw error
        }
        await way.end()
    }

    private func pause(_ duration: Duration) async throws(DBusError) {
        do { try await Task.sleep(for: duration) } catch { throw DBusError.cancelled }
    }

    private func receive(_ input: AsyncStream<Input>.Continuation) -> [DBusReception] {
        let owner = adapter.owner
        let devices = adapter.path + "/dev_"
        let changes = adapter.connection.receive(
            DBusMatch(
                sender: BlueZName.service, pathNamespace: adapter.path, interface: BlueZName.properties,
                member: "PropertiesChanged", firstArgument: BlueZName.device)
        ) { signal in
            guard signal.sender == owner, signal.path.hasPrefix(devices), signal.arguments.count > 1,
                let properties = signal.arguments[1].named
            else { return }
            input.yield(.changed(path: signal.path, properties: properties))
        }
        let objects = adapter.connection.receive(
            DBusMatch(sender: BlueZName.service, path: "/", interface: BlueZName.objectManager)
        ) { signal in
            guard signal.sender == owner, let path = signal.arguments.first?.text, path.hasPrefix(devices),
                signal.arguments.count > 1
            else { return }
            switch signal.member {
            case "InterfacesAdded":
                if let properties = signal.arguments[1].named?[BlueZName.device]?.named {
                    input.yield(.changed(path: path, properties: properties))
                }
            case "InterfacesRemoved":
                if signal.arguments[1].elements?.contains(.string(BlueZName.device)) == true {
                    input.yield(.removed(path: path))
                }
            default: break
            }
        }
        return [changes, objects]
    }

    private func read(
        _ inputs: AsyncStream<Input>, _ input: AsyncStream<Input>.Continuation,
        _ report: @Sendable (ReceivedAdvertisement) -> Void
    ) async {
        var book = DeviceBook(plan.power)
        var asked: Set<String> = []
        for await next in inputs {
            let now = Self.now
            book.isShared = isShared.load(ordering: .relaxed)
            switch next {
            case .changed(let path, let properties):
                if let received = book.change(path, properties, now: now) { report(received) }
            case .removed(let path): book.remove(path)
            case .found(let path, let pattern):
                switch book.found(path, pattern, now: now) {
                case .heard(let received): report(received)
                case .known: break
                case .unknown:
                    // bluetoothd knew the device before the scan began, and told its content to others.
                    guard asked.count < Self.maximumQuestionCount, asked.insert(path).inserted else { break }
                    Task {
                        let properties = try? await adapter.properties(BlueZName.device, path: path)
                        input.yield(.answered(path: path, properties: properties))
                    }
                }
            case .answered(let path, let properties):
                asked.remove(path)
                if let properties, let received = book.change(path, properties, now: now) { report(received) }
            }
        }
    }
}
