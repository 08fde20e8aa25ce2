import EarshotDBus
import EarshotDiscovery
import EarshotSystem
import Synchronization

/// Keeps the wanted advertisements on the air, through failures and restarts of bluetoothd, until its task is cancelled.
final class AdvertisingRun: Sendable {
    private enum Input: Sendable {
        case adapter(AdapterState)
        case wanted([Advertisement])
        /// bluetoothd no longer sends the advertisement at this path.
        case released(path: String)
        /// The next in turn, or another attempt.
        case due
        /// Programs that send with the same adapter may have started or ended.
        case others
    }

    /// How long an advertisement stays on the air if others wait for its slot, on a controller that sends several.
    private static let turn = Duration.seconds(2)
    private static let firstRetry = Duration.milliseconds(500)
    private static let maximumRetry = Duration.seconds(8)
    /// More is a problem: a scan of another program blocks turns for at most 8 s (`ForeignScan`).
    private static let maximumMissedTurnCount = 4
    private static let quickRetry = Duration.milliseconds(30)
    private static let quickRetryCount = 2
    private static let numbers = Atomic(0)

    private let watch: AdapterWatch
    private let report: @Sendable (AdvertisingEvent) -> Void
    private let inputs: AsyncStream<Input>
    private let input: AsyncStream<Input>.Continuation

    init(_ watch: AdapterWatch, _ report: @escaping @Sendable (AdvertisingEvent) -> Void) {
        self.watch = watch
        self.report = report
        (inputs, input) = AsyncStream.makeStream(of: Input.self)
    }

    /// Advertises until the task is cancelled.
    func run(_ contents: AsyncStream<[Advertisement]>) async {
        // Not a child task: the connection must outlive the last call.
        let watching = Task { [watch, input] in await watch.run { input.yield(.adapter($0)) } }
        let wishing = Task { [input] in for await wanted in contents { input.yield(.wanted(wanted)) } }
        var work = Work(report: report, input: input)
        for await next in inputs { await work.take(next) }
        wishing.cancel()
        let rest = work
        // The task is cancelled, but the advertisements must still be withdrawn.
        await Task { await rest.end() }.value
        watching.cancel()
        await watching.value
        await wishing.value
    }

    /// The state of a run. Only the run's task uses it.
    private struct Work: Sendable {
        let report: @Sendable (AdvertisingEvent) -> Void
        let input: AsyncStream<Input>.Continuation
        private var adapter: ReadyAdapter?
        private var gate: RadioGate?
        private var sharing = Sharing()
        /// The number of advertisements to register at once.
        private var capacity = 1
        private var turns = AdvertisingTurns()
        private var problems = ProblemBook()
        private var told: [Advertisement]?
        private var retry = AdvertisingRun.firstRetry
        private var clock: Task<Void, Never>?

        /// How programs share a controller that sends one advertisement at a time.
        private struct Sharing: Sendable {
            /// The seats among all programs that send; nil if the controller sends several advertisements at once.
            var seats: AirSeats?
            var held: [Int] = []
            var foreign: ForeignScan?
            /// The number of the turn in which the present advertisement began.
            var turnNumber: Int64?
            var missedTurnCount = 0
        }

        init(report: @escaping @Sendable (AdvertisingEvent) -> Void, input: AsyncStream<Input>.Continuation) {
            self.report = report
            self.input = input
        }

        mutating func take(_ next: Input) async {
            switch next {
            case .adapter(.unusable(let problem, let detail)):
                await forget()
                adapter = nil
                tell(problem, detail: detail)
            case .adapter(.ready(let ready)):
                await forget()
                adapter = ready
                gate = RadioGate(ready.radioFolder)
                capacity = await Self.capacity(ready)
                if capacity == 1 {
                    sharing.seats = AirSeats(ready.radioFolder) { [input] in input.yield(.others) }
                    sharing.foreign = await ForeignScan(ready)
                }
                retry = AdvertisingRun.firstRetry
            case .wanted(let contents): turns.want(contents)
            case .released(let path):
                guard turns.registered.contains(where: { $0.path == path }) else { return }
                adapter?.connection.withdraw(path)
                turns.remove(path)
                // bluetoothd has a reason; wait before the next attempt.
                return schedule(after: retry)
            case .due:
                if sharing.seats == nil, !turns.waiting.isEmpty, turns.obsolete == nil,
                    let oldest = turns.registered.first,
                    problems.current == nil
                {
                    await withdraw(oldest)
                }
            case .others:
                // After a failure, wait before the next attempt.
                if problems.current != nil { return }
            }
            if let seats = sharing.seats { await settle(seats) } else { await settle() }
        }

        /// Brings the wanted advertisements on the air, on a controller that sends one at a time: all programs that
        /// send take turns.
        private mutating func settle(_ seats: AirSeats) async {
            guard adapter != nil else { return }
            if sharing.held.count != turns.wanted.count {
                sharing.held = seats.hold(turns.wanted.count, of: sharing.held)
            }
            let now = Duration.nanoseconds(MonotonicTime.nanoseconds)
            let time = AirTime(seats: (sharing.held + seats.others).sorted())
            // The previous turn lasts until the next one can begin.
            if let gate, time.seats.count > 1, await sharing.foreign?.isInTheWay(gate) == true {
                if told != nil { return scheduleTurn(time) }
                // The one on the air would keep it until then, so the first turn needs a gap before it.
                await sharing.foreign?.end(isFirst: true)
            }
            guard let seat = time.seat(at: now), sharing.held.contains(seat) else {
                for registration in turns.registered { await withdraw(registration) }
                seats.leaveAir()
                // Before its first turn it is not on the air, and after a failure it may not be in the next one.
                if told != nil || turns.wanted.isEmpty { tell(nil) }
                return scheduleTurn(time)
            }
            let number = time.number(at: now)
            if number != sharing.turnNumber, !turns.waiting.isEmpty, turns.obsolete == nil,
                let oldest = turns.registered.first
            {
                await withdraw(oldest)
            }
            guard turns.obsolete != nil || turns.registered.isEmpty else { return scheduleTurn(time) }
            sharing.turnNumber = number
            // The previous program ends its turn at the same time as this one begins.
            guard await seats.takeAir() else {
                // This also happens while a scan of another program blocks this one. Try again in each turn.
                sharing.missedTurnCount += 1
                if sharing.missedTurnCount >= AdvertisingRun.maximumMissedTurnCount {
                    tell(
                        .bluetoothUnusable(.broadcast),
                        detail:
                            "\(adapter?.name ?? "The adapter") cannot advertise: another program does not leave the air. "
                            + "Trying again.")
                }
                return scheduleTurn(time)
            }
            sharing.missedTurnCount = 0
            await settle()
            if turns.registered.isEmpty { seats.leaveAir() }
            if problems.current == nil { scheduleTurn(time) }
        }

        private mutating func scheduleTurn(_ time: AirTime) {
            clock?.cancel()
            // Alone, it waits for the notice that another program has come.
            guard time.seats.count > 1 || sharing.seats?.isTold == false else { return }
            schedule(after: time.untilNext(.nanoseconds(MonotonicTime.nanoseconds)))
        }

        /// Withdraws all advertisements.
        func end() async {
            clock?.cancel()
            var work = self
            for registration in turns.registered { await work.withdraw(registration) }
        }

        /// Brings the wanted advertisements on the air: the new ones first, so that there is no gap.
        private mutating func settle() async {
            guard adapter != nil else { return }
            let isChange = turns.obsolete != nil || !turns.waiting.isEmpty && turns.keptCount < capacity
            if isChange {
                await gate?.beginQuiet()
                await sharing.foreign?.end(isFirst: told == nil)
            }
            defer { if isChange { gate?.endQuiet() } }
            do throws(DBusError) {
                while let next = turns.waiting.first, turns.keptCount < capacity {
                    if try await register(next) { continue }
                    // No slot is free. Withdraw one that is no longer wanted; otherwise the next waits for its turn.
                    guard let obsolete = turns.obsolete else { break }
                    await withdraw(obsolete)
                }
                while let obsolete = turns.obsolete { await withdraw(obsolete) }
                if turns.registered.isEmpty, !turns.waiting.isEmpty {
                    throw DBusError.refused(name: "", text: "other programs use all advertisements that it can send")
                }
                retry = AdvertisingRun.firstRetry
                clock?.cancel()
                if sharing.seats == nil, !turns.waiting.isEmpty { schedule(after: AdvertisingRun.turn) }
                tell(nil)
            } catch {
                fail(error)
            }
        }

        /// How many advertisements an adapter should send at once.
        ///
        /// A controller without secondary channels, of Bluetooth 4, sends one. The kernel would alternate between
        /// several, each time with another address, and fail while it scans. The run alternates between them itself.
        private static func capacity(_ adapter: ReadyAdapter) async -> Int {
            let manager = try? await adapter.properties(BlueZName.advertisingManager)
            guard manager?["SupportedSecondaryChannels"] != nil else { return 1 }
            return max(1, manager?["SupportedInstances"]?.integer ?? 1)
        }

        private mutating func fail(_ error: DBusError) {
            switch error {
            case .disconnected, .cancelled: return
            case _ where error.isAccessDenied: tell(.bluetoothForbidden, detail: AdapterWatch.forbidden(error))
            default:
                let name = adapter?.name ?? "The adapter"
                tell(.bluetoothUnusable(.broadcast), detail: "\(name) cannot advertise: \(error). Trying again.")
            }
            // A program of another user does not use our locks, but pauses when all programs do.
            let rest = ScanRounds.untilCommonRest(.nanoseconds(MonotonicTime.nanoseconds))
            schedule(after: min(retry, rest))
            retry = min(retry * 2, AdvertisingRun.maximumRetry)
        }

        /// Registers an advertisement.
        /// - Returns: false if the controller has no slot for another one.
        private mutating func register(_ content: Advertisement) async throws(DBusError) -> Bool {
            guard let adapter else { return false }
            let path = "/earshot/advertisement\(AdvertisingRun.numbers.add(1, ordering: .relaxed).newValue)"
            let owner = adapter.owner
            let object = DBusObject([
                BlueZName.advertisement: .init(
                    properties: content.bluezProperties,
                    methods: [
                        "Release": { [input] call in
                            if call.sender == owner { input.yield(.released(path: path)) }
                            return []
                        }
                    ])
            ])
            try await adapter.connection.export(path, object)
            var error = await Self.call(adapter, "RegisterAdvertisement", [.path(path), .properties([:])])
            for _ in 0..<AdvertisingRun.quickRetryCount where error?.isRefusal("Failed") == true {
                // bluetoothd reports the end of a scan before the controller has ended it.
                await Task { try? await Task.sleep(for: AdvertisingRun.quickRetry) }.value
                error = await Self.call(adapter, "RegisterAdvertisement", [.path(path), .properties([:])])
            }
            if let error {
                adapter.connection.withdraw(path)
                // NotPermitted: the maximum of advertisements is reached.
                if error.isRefusal("NotPermitted") { return false }
                throw error
            }
            turns.add(.init(path: path, content: content))
            return true
        }

        private mutating func withdraw(_ registration: AdvertisingTurns.Registration) async {
            turns.remove(registration.path)
            guard let adapter else { return }
            _ = await Self.call(adapter, "UnregisterAdvertisement", [.path(registration.path)])
            adapter.connection.withdraw(registration.path)
        }

        /// Calls the advertising manager, also if the run is cancelled: the run must always know what bluetoothd has on
        /// the air.
        private static func call(_ adapter: ReadyAdapter, _ member: String, _ arguments: [DBusValue]) async
            -> DBusError?
        {
            await Task {
                do throws(DBusError) {
                    _ = try await adapter.call(BlueZName.advertisingManager, member, arguments)
                    return nil as DBusError?
                } catch {
                    return error
                }
            }.value
        }

        /// Starts over. bluetoothd 5.66 keeps advertisements while an adapter is off, so they are withdrawn first.
        private mutating func forget() async {
            for registration in turns.registered { await withdraw(registration) }
            turns.removeAll()
            told = nil
            (gate, sharing.seats, sharing.held, sharing.foreign) = (nil, nil, [], nil)
        }

        private mutating func schedule(after wait: Duration) {
            clock?.cancel()
            clock = Task { [input] in
                if (try? await Task.sleep(for: wait)) != nil { input.yield(.due) }
            }
        }

        private mutating func tell(_ problem: DiscoveryProblem?, detail: String = "") {
            for change in problems.set(problem, detail: detail) {
                switch change {
                case .problem(let problem, let detail): report(.problem(problem, detail: detail))
                case .solved(let problem): report(.solved(problem))
                }
            }
            // After a problem, report again what is on the air.
            if problem != nil {
                told = nil
                return
            }
            let air = turns.registered.map(\.content)
            if told != air {
                told = air
                report(.advertising(air))
            }
        }
    }
}
