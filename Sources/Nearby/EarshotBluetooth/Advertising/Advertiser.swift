import EarshotDiscovery
import Synchronization

/// Sends advertisements with one adapter: one run for all streams that are read.
///
/// With a run for each stream, the first would occupy the only slot of a small controller. In one run all
/// advertisements take turns.
final class Advertiser: Sendable {
    private struct Reader {
        let continuation: AsyncStream<AdvertisingEvent>.Continuation
        var wanted: [Advertisement] = []
        /// Its advertisements that were reported to it as on the air.
        var told: [Advertisement]?

        /// An event with its advertisements among those on the air; nil if the reader knows them already.
        mutating func news(air: [Advertisement]) -> News? {
            let own = air.filter(wanted.contains)
            guard own != told else { return nil }
            told = own
            return News(continuation: continuation, event: .advertising(own))
        }
    }

    /// An event for a reader.
    private struct News: Sendable {
        let continuation: AsyncStream<AdvertisingEvent>.Continuation
        let event: AdvertisingEvent
    }

    private struct Run {
        let number: Int
        let contents: AsyncStream<[Advertisement]>.Continuation
        let task: Task<Void, Never>
    }

    private struct State {
        var readers: [Int: Reader] = [:]
        var nextNumber = 0
        var run: Run?
        /// The latest run, until it has withdrawn all advertisements.
        var ending: Task<Void, Never>?
        /// The advertisements on the air; nil before the run has reported them.
        var air: [Advertisement]?
        var problems: [DiscoveryProblem: String] = [:]
        /// Callers waiting until unwanted advertisements have stopped.
        var waiting: [CheckedContinuation<Void, Never>] = []

        /// In the order of the streams, so that turns are fair.
        var wanted: [Advertisement] { readers.sorted { $0.key < $1.key }.flatMap(\.value.wanted) }
        var isClean: Bool {
            let wanted = wanted
            return air?.allSatisfy(wanted.contains) ?? true
        }
    }

    /// The maximum number of events that wait for a slow reader. The stream drops the oldest.
    private static let maximumBacklog = 256

    private let watch: AdapterWatch
    /// Never locked while a reader receives an event: the end of a reader locks it while holding a lock that an event
    /// needs.
    private let state = Mutex(State())
    /// Locked while readers receive events, so that all receive them in the same order.
    private let telling = Mutex(())

    init(_ watch: AdapterWatch) {
        self.watch = watch
    }

    /// See `BluetoothAdapter.advertise`.
    func events(_ contents: AsyncStream<[Advertisement]>) -> AsyncStream<AdvertisingEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: AdvertisingEvent.self, bufferingPolicy: .bufferingNewest(Self.maximumBacklog))
        let number = join(continuation)
        let wishing = Task { for await wanted in contents { want(wanted, number) } }
        continuation.onTermination = { [self] _ in
            wishing.cancel()
            leave(number)
        }
        return stream
    }

    private func join(_ continuation: AsyncStream<AdvertisingEvent>.Continuation) -> Int {
        telling.withLock { _ in
            let (number, problems) = state.withLock { state in
                state.nextNumber += 1
                state.readers[state.nextNumber] = Reader(continuation: continuation)
                if state.run == nil { state.run = begin(state.nextNumber, after: state.ending) }
                return (state.nextNumber, state.problems)
            }
            for (problem, detail) in problems { continuation.yield(.problem(problem, detail: detail)) }
            return number
        }
    }

    private func begin(_ number: Int, after last: Task<Void, Never>?) -> Run {
        let (contents, continuation) = AsyncStream.makeStream(of: [Advertisement].self)
        let run = AdvertisingRun(watch) { self.take($0, of: number) }
        let task = Task {
            // Two runs must not share the adapter.
            await last?.value
            await run.run(contents)
        }
        return Run(number: number, contents: continuation, task: task)
    }

    private func want(_ wanted: [Advertisement], _ number: Int) {
        tell { state in
            guard state.readers[number] != nil else { return [] }
            state.readers[number]?.wanted = wanted
            state.run?.contents.yield(state.wanted)
            // For advertisements that another reader has on the air already, the run sends no event.
            guard let air = state.air, !wanted.isEmpty, state.problems.isEmpty else { return [] }
            return [state.readers[number]?.news(air: air)]
        }
    }

    private func take(_ event: AdvertisingEvent, of number: Int) {
        tell { state in
            // A run that is ending may still report earlier work.
            guard state.run?.number == number else { return [] }
            switch event {
            case .advertising(let air):
                state.air = air
                return state.readers.keys.map { state.readers[$0]?.news(air: air) }
            case .problem(let problem, let detail):
                state.problems[problem] = detail
                // After a problem, the readers are told again what is on the air.
                state.air = nil
                for number in state.readers.keys { state.readers[number]?.told = nil }
            case .solved(let problem):
                state.problems[problem] = nil
            }
            return state.readers.values.map { News(continuation: $0.continuation, event: event) }
        }
        let waiting = state.withLock { Self.takeWaiting(&$0) }
        for continuation in waiting { continuation.resume() }
    }

    /// Changes the state, and then sends the readers their events.
    private func tell(_ change: (inout State) -> [News?]) {
        telling.withLock { _ in
            for case let news? in state.withLock({ change(&$0) }) { news.continuation.yield(news.event) }
        }
    }

    private func leave(_ number: Int) {
        let (waiting, over) = state.withLock { state in
            state.readers[number] = nil
            guard state.readers.isEmpty, let run = state.run else {
                state.run?.contents.yield(state.wanted)
                return (Self.takeWaiting(&state), nil as Task<Void, Never>?)
            }
            (state.run, state.air, state.problems) = (nil, nil, [:])
            state.ending = run.task
            return (Self.takeWaiting(&state), run.task)
        }
        over?.cancel()
        for continuation in waiting { continuation.resume() }
    }

    private static func takeWaiting(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        guard state.isClean else { return [] }
        defer { state.waiting = [] }
        return state.waiting
    }

    /// Waits until the advertisements of the streams that are no longer read are off the air.
    func waitUntilClosed() async {
        await state.withLock { $0.run == nil ? $0.ending : nil }?.value
        await withCheckedContinuation { continuation in
            let isClean = state.withLock { state in
                if state.isClean { return true }
                state.waiting.append(continuation)
                return false
            }
            if isClean { continuation.resume() }
        }
    }
}
