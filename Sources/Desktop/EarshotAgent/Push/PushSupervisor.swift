import Dispatch
import EarshotMessages
import EarshotNetworks
import EarshotPush
import EarshotSystem
import Foundation
import Glibc
import NearbyWire
import Synchronization

/// Local push: the configuration that matches the network, its provider, and the events that wait for apps.
///
///     configurations ─┐                                                          (+Following)
///     network ────────┼─▶ reconcile ─▶ providers' processes                    (+Providers)
///     sleep ──────────┘                  │ reports
///     apps ◀─ events ─ waiting events ◀──┘                                     (+Events)
///
/// After any event from outside it compares the running providers with the wanted ones, so it needs no memory of the
/// past: after a restart of the agent, the files and the network have all the information.
actor PushSupervisor {
    /// An event from outside.
    enum Input: Sendable {
        case configurationsChanged
        case lookDue
        case situation(NetworkSituation)
        case isAsleep(Bool)
        case provider(String, run: Int, ProviderNews)
        case retryDue(String)
        case watching(Int, String, taken: [String], AgentConnection, process: Int32)
        case taken(Int, String, [String])
        case closed(Int)
        /// A process of the app ended, or is no longer connected.
        case appLeft(String)
        case appStarted(String, AppStarter.Outcome, AppStarter.Reason)
        case appEnded(String, status: CInt?)
        case startDue(String)
        case notification(String, PushAppState.Notification, AgentNotificationOutcome)
        case showDue(String)
        case overview(AgentConnection)
    }

    /// Events of a provider's process.
    enum ProviderNews: Sendable {
        case frame(ProviderFrame, byteCount: Int)
        /// It broke the protocol.
        case invalid
        case disconnected
        case ended(status: CInt)
        case deadline
    }

    private static let maximumLineCount = 100
    private static let maximumLineCharacterCount = 400

    /// The same for all agents of a process, which are several in tests only.
    static let providerQueue = DispatchQueue(label: "earshot.agent.push.providers")

    let options: AgentOptions
    let push: PushOptions
    let files: PushFiles
    let starts: AppStarting
    nonisolated let input: AsyncStream<Input>.Continuation
    private let inputs: AsyncStream<Input>
    /// Whether there is work, so that the agent must not end.
    nonisolated let isBusy = Mutex(false)

    var records: [String: PushRecord] = [:]
    var apps: [String: PushAppRecord] = [:]
    var watchers: [Int: PushWatcher] = [:]
    var surroundings = PushSurroundings()
    var journal = Journal()

    /// The past of this agent, as far as it matters.
    struct Journal {
        /// How many processes of providers it started.
        var runCount = 0
        /// What is wrong with the configurations.
        var problems: [String] = []
        var lines: [PushFrame.Overview.Line] = []
    }

    init(_ options: AgentOptions, _ push: PushOptions, store: StateStore, starts: AppStarting) {
        self.options = options
        self.push = push
        self.starts = starts
        files = PushFiles(options, push, store)
        (inputs, input) = AsyncStream.makeStream(of: Input.self)
        // An agent that ends when idle must not do so before the first check.
        isBusy.withLock { $0 = (try? files.configurations.folder.names.isEmpty) != true }
    }

    var now: Double { options.internals.clock.monotonicSeconds() }
    var wallSeconds: Double { options.internals.clock.wallSeconds() }

    /// Handles the input until `close`.
    /// - Parameter onIdle: called when no work is left.
    func run(from states: [PushAppState], onIdle: @Sendable () -> Void) async {
        for state in states { apps[state.app] = PushAppRecord(state: state) }
        watchConfigurations()
        readConfigurations()
        for app in apps.keys { resume(app) }
        update(onIdle)
        for await input in inputs {
            take(input)
            update(onIdle)
        }
    }

    private func take(_ input: Input) {
        switch input {
        case .configurationsChanged:
            surroundings.areProgramsChanged = true
            readConfigurations()
        case .lookDue:
            surroundings.looking = nil
            if surroundings.configurations == nil { surroundings.configurations = watch(files.configurations.path) }
            take(.configurationsChanged)
        case .situation(let situation): take(situation)
        case .isAsleep(let isAsleep):
            guard isAsleep != surroundings.isAsleep else { return }
            surroundings.isAsleep = isAsleep
            log(isAsleep ? "the machine goes to sleep" : "the machine woke up")
        case .provider(let id, let run, let news): take(news, of: id, run: run)
        case .retryDue(let id): records[id]?.retry = nil
        case .watching(let number, let app, let taken, let connection, let process):
            watch(number, app, taken, connection, process)
        case .taken(let number, let app, let ids): take(ids, app, number)
        case .closed(let number): closeWatcher(number)
        case .appLeft(let app): considerStart(app)
        case .appStarted(let app, let outcome, let reason): appStarted(app, outcome, reason)
        case .appEnded(let app, let status): appEnded(app, status)
        case .startDue(let app): deliver(app)
        case .notification(let app, let notification, let outcome): take(outcome, of: notification, app)
        case .showDue(let app): showDue(app)
        case .overview(let connection): connection.send(AgentFrame.pushOverview(overview))
        }
    }

    /// Adjusts everything to the present state.
    private func update(_ onIdle: @Sendable () -> Void) {
        follow()
        reconcile()
        lookLater()
        let isBusy =
            records.values.contains { $0.run != nil || $0.configuration.isEnabled && !$0.isRemoved }
            || apps.values.contains { !$0.state.waiting.isEmpty || !$0.state.notifications.isEmpty }
        let wasBusy = self.isBusy.withLock { value in
            defer { value = isBusy }
            return value
        }
        if wasBusy, !isBusy { onIdle() }
    }

    /// Sends an input after a delay, unless the returned task is cancelled.
    func later(_ seconds: Double, _ event: Input) -> Task<Void, Never> {
        Task { [input] in
            if (try? await Task.sleep(for: .seconds(max(0, seconds)))) != nil { input.yield(event) }
        }
    }

    func log(_ text: String) {
        options.log("push: \(text)")
        journal.lines.append(
            PushFrame.Overview.Line(time: wallSeconds, text: String(text.prefix(Self.maximumLineCharacterCount))))
        if journal.lines.count > Self.maximumLineCount { journal.lines.removeFirst() }
    }

    // MARK: What is wanted

    private func readConfigurations() {
        let content = files.configurations.load()
        for problem in content.problems where !journal.problems.contains(problem) { log(problem) }
        journal.problems = content.problems
        let present = Set(content.configurations.map(\.identifier))
        for configuration in content.configurations {
            let id = configuration.identifier
            if let known = records[id]?.configuration, records[id]?.isRemoved == false {
                guard known != configuration else { continue }
                records[id]?.configuration = configuration
                // A failed start may work with the new values.
                restartSoon(id)
            } else {
                var record = PushRecord(configuration: configuration, policy: RestartPolicy(push.times.restart))
                record.run = records[id]?.run
                records[id] = record
            }
        }
        // For an invalid file, the previous content remains in force: an editor may be writing it. The same applies to
        // all files while they cannot be read.
        for id in records.keys where !present.contains(id) && !content.invalid.contains(id) && !content.isIncomplete {
            records[id]?.isRemoved = true
            // A folder that cannot be read does not show which configurations are gone.
            if content.problems.isEmpty { dropEvents(of: id) }
        }
    }

    private func take(_ situation: NetworkSituation) {
        let last = surroundings.situation
        surroundings.situation = situation
        if situation.primary != last?.primary || last == nil {
            log("the network is \(PushText.name(situation.primary)), \(situation.source.rawValue) says")
            for id in records.keys {
                if situation.primary != .ethernet { records[id]?.isEthernetUnmatched = false }
                restartSoon(id)
            }
        }
        if let problem = situation.problem, problem != last?.problem { log(problem) }
    }

    /// Forgets the failures of a provider that is not running, after a change.
    private func restartSoon(_ id: String) {
        records[id]?.retry?.cancel()
        records[id]?.retry = nil
        records[id]?.policy.reset()
    }

    /// Whether a configuration names the current network.
    func matches(_ record: PushRecord) -> Bool {
        let configuration = record.configuration
        switch surroundings.situation?.primary {
        case nil: return false
        case .wifi(let ssid): return configuration.ssids.contains(ssid)
        case .ethernet: return configuration.matchesEthernet && !record.isEthernetUnmatched
        case .mobile(let network):
            let present = PushMobileNetwork(
                countryCode: network.countryCode, networkCode: network.networkCode,
                trackingAreaCode: network.trackingAreaCode)
            return configuration.mobileNetworks.contains { $0.matches(present) }
        }
    }

    // MARK: For people

    private var overview: PushFrame.Overview {
        PushFrame.Overview(
            network: surroundings.situation?.primary.map(PushText.name),
            networkSource: surroundings.situation?.source.rawValue,
            problems: journal.problems + [surroundings.situation?.problem].compactMap(\.self),
            configurations: records.values.filter { !$0.isRemoved }
                .sorted { $0.configuration.savedCount < $1.configuration.savedCount }.map(overview),
            log: journal.lines)
    }

    private func overview(of record: PushRecord) -> PushFrame.Overview.Configuration {
        let configuration = record.configuration
        let state =
            switch record.run?.phase {
            case .starting: "starting"
            case .active: "active"
            case .stopping: "stopping"
            case nil:
                record.configuration.isEnabled && matches(record) && !surroundings.isAsleep ? "waiting" : "stopped"
            }
        return PushFrame.Overview.Configuration(
            identifier: configuration.identifier, app: configuration.app,
            description: configuration.localizedDescription, provider: configuration.provider,
            networks: PushText.networks(of: configuration), isEnabled: configuration.isEnabled,
            supersededBy: configuration.supersededBy, isMatching: matches(record), state: state,
            process: record.run?.process, since: record.run?.since, restartCount: record.restartCount,
            lastError: record.lastError.map { String($0.prefix(Self.maximumLineCharacterCount)) },
            lastStopReason: record.lastStopReason.map { "\($0)" },
            waitingCount: apps[configuration.app]?.state.waiting.count { $0.configuration == configuration.identifier }
                ?? 0)
    }

    /// Ends all work within this process. The providers end with their connections.
    func close() {
        input.finish()
        surroundings.rest()
        surroundings.configurations = nil
        surroundings.looking?.cancel()
        for record in records.values {
            record.retry?.cancel()
            record.run?.deadline?.cancel()
            record.run?.socket.connection.close()
        }
        for app in apps.values {
            app.starting?.cancel()
            app.showing?.cancel()
        }
        records = [:]
    }
}
