import EarshotDBus
import EarshotDiscovery
import Synchronization

/// Scans with one adapter for all streams that are read.
final class Scanner: Sendable {
    private struct Reader {
        var patterns: [AdvertisementPattern]
        var power: ScanPower
        var continuation: AsyncStream<ScanEvent>.Continuation
    }

    private struct State {
        /// In the order in which they began, with their numbers.
        var readers: [(number: Int, reader: Reader)] = []
        var nextNumber = 0
        var problems = ProblemBook()
        var isScanning = false
        /// The run, or the last one, which may not have ended yet.
        var task: Task<Void, Never>?
        /// Tells the run that the requests changed; nil if there is no run.
        var inputs: AsyncStream<Input>.Continuation?
        /// What the log says about bluetoothd.
        var logged: String?

        var plan: ScanPlan? { ScanPlan(readers.map { ($0.reader.patterns, $0.reader.power) }) }
    }

    private enum Input: Sendable {
        case adapter(AdapterState)
        case plan
    }

    /// The maximum number of events that wait for a slow reader. The stream drops the oldest.
    private static let maximumBacklog = 4_096
    private static let firstRetry = Duration.milliseconds(500)
    private static let maximumRetry = Duration.seconds(8)

    private let watch: AdapterWatch
    private let log: @Sendable (String) -> Void
    /// Never locked while a reader receives an event: the end of a reader locks it while holding a lock that an event
    /// needs.
    private let state = Mutex(State())
    /// Locked while readers receive problems, so that all receive them in the same order.
    private let telling = Mutex(())

    /// - Parameter log: receives a line about bluetoothd before the first scan, and when another kind of it runs.
    init(_ watch: AdapterWatch, log: @escaping @Sendable (String) -> Void) {
        self.watch = watch
        self.log = log
    }

    /// See `AdvertisementSource`.
    func events(_ patterns: [AdvertisementPattern], power: ScanPower) -> AsyncStream<ScanEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ScanEvent.self, bufferingPolicy: .bufferingNewest(Self.maximumBacklog))
        let number = telling.withLock { _ in
            let (number, events) = join(Reader(patterns: patterns, power: power, continuation: continuation))
            for event in events { continuation.yield(event) }
            return number
        }
        continuation.onTermination = { [self] _ in leave(number) }
        return stream
    }

    /// Waits until the adapter is released, if no stream is read any longer.
    func waitUntilClosed() async {
        await state.withLock { $0.readers.isEmpty ? $0.task : nil }?.value
    }

    /// Adds a reader. With the first one the run begins.
    /// - Returns: the reader's number, and events with the current state, which it must receive first.
    private func join(_ reader: Reader) -> (Int, [ScanEvent]) {
        state.withLock { state in
            let before = state.plan
            state.nextNumber += 1
            state.readers.append((state.nextNumber, reader))
            var events: [ScanEvent] = []
            if let (problem, detail) = state.problems.current { events.append(.problem(problem, detail: detail)) }
            if state.isScanning, state.plan == before { events.append(.opened) }
            if state.inputs == nil { begin(&state) } else if state.plan != before { state.inputs?.yield(.plan) }
            return (state.nextNumber, events)
        }
    }

    private func leave(_ number: Int) {
        let ending = state.withLock { state -> (Task<Void, Never>?, AsyncStream<Input>.Continuation?) in
            let before = state.plan
            state.readers.removeAll { $0.number == number }
            guard state.readers.isEmpty else {
                if state.plan != before { state.inputs?.yield(.plan) }
                return (nil, nil)
            }
            (state.problems, state.isScanning) = (ProblemBook(), false)
            return (state.task, exchange(&state.inputs, with: nil))
        }
        ending.0?.cancel()
        ending.1?.finish()
    }

    private func begin(_ state: inout State) {
        let (inputs, input) = AsyncStream.makeStream(of: Input.self)
        let last = state.task
        state.inputs = input
        state.task = Task { [self] in
            // Two runs must not share the adapter.
            await last?.value
            await run(inputs, input)
        }
    }

    private func run(_ inputs: AsyncStream<Input>, _ input: AsyncStream<Input>.Continuation) async {
        // Not a child task: the connection must outlive the scan, which ends with a call.
        let watching = Task { [watch] in await watch.run { input.yield(.adapter($0)) } }
        var adapter: ReadyAdapter?
        var scan: Task<Void, Never>?
        for await next in inputs {
            scan?.cancel()
            await scan?.value
            scan = nil
            switch next {
            case .adapter(.ready(let ready)): adapter = ready
            case .adapter(.unusable(let problem, let detail)):
                adapter = nil
                tell(problem, detail: detail)
            case .plan: break
            }
            if let adapter, let plan = state.withLock({ $0.plan }) {
                scan = Task { await self.scan(adapter, plan) }
            }
        }
        scan?.cancel()
        await scan?.value
        watching.cancel()
        await watching.value
    }

    /// Scans until the task is cancelled; begins again after a failure.
    private func scan(_ adapter: ReadyAdapter, _ plan: ScanPlan) async {
        let retry = Mutex(Self.firstRetry)
        let isNew = Mutex(true)
        while !Task.isCancelled {
            do throws(DBusError) {
                try await ScanSession(adapter: adapter, plan: plan).run {
                    self.log($0, of: adapter)
                } began: {
                    retry.withLock { $0 = Self.firstRetry }
                    guard isNew.withLock({ exchange(&$0, with: false) }) else { return }
                    self.tell(nil)
                } report: { received in
                    self.report(received)
                }
            } catch {
                if Task.isCancelled { return }
                isNew.withLock { $0 = true }
                if error.isAccessDenied {
                    tell(.bluetoothForbidden, detail: AdapterWatch.forbidden(error))
                } else if case .disconnected = error {
                    // The watch reports this problem.
                } else {
                    tell(.bluetoothUnusable(.scan), detail: "\(adapter.name) cannot scan: \(error). Trying again.")
                }
            }
            let wait = retry.withLock { wait in
                defer { wait = min(wait * 2, Self.maximumRetry) }
                return wait
            }
            try? await Task.sleep(for: wait)
        }
    }

    /// Tells all readers the current problem; nil if the adapter scans.
    private func tell(_ problem: DiscoveryProblem?, detail: String = "") {
        telling.withLock { _ in
            let (events, readers) = state.withLock { state in
                guard state.inputs != nil else { return ([ScanEvent](), [Reader]()) }
                state.isScanning = problem == nil
                let changes = state.problems.set(problem, detail: detail).map { change -> ScanEvent in
                    switch change {
                    case .problem(let problem, let detail): .problem(problem, detail: detail)
                    case .solved(let problem): .solved(problem)
                    }
                }
                return (problem == nil ? changes + [.opened] : changes, state.readers.map(\.reader))
            }
            for reader in readers {
                for event in events { reader.continuation.yield(event) }
            }
        }
    }

    private func log(_ kind: BluetoothdKind, of adapter: ReadyAdapter) {
        let line = "\(adapter.name): \(kind.text)." + (kind.advice.map { " \($0)" } ?? "")
        if state.withLock({ exchange(&$0.logged, with: line) }) != line { log(line) }
    }

    private func report(_ received: ReceivedAdvertisement) {
        let continuations = state.withLock { state in
            state.readers.map(\.reader).filter { reader in
                reader.patterns.contains { $0.part(of: received.content) != nil }
            }.map(\.continuation)
        }
        for continuation in continuations { continuation.yield(.advertisement(received)) }
    }
}
