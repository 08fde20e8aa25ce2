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
///     configurations ─┐
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

    let options: AgentOptions
    let times: PushTimes
    let configurationStore: PushConfigurationStore
    let stateStore: PushStateStore
    let locator: ProviderLocator
    let starter: AppStarter
    let presence: AppPresence
    let startPolicy: StartPolicy
    private let networks: any NetworkWatching
    /// The name of an app's file without its extension.
    let fileName: @Sendable (String) -> String
    nonisolated let input: AsyncStream<Input>.Continuation
    private let inputs: AsyncStream<Input>
    /// Whether there is work, so that the agent must not end.
    nonisolated let isBusy = Mutex(false)
    private let watchQueue = DispatchQueue(label: "earshot.agent.push.files")
    let providerQueue = DispatchQueue(label: "earshot.agent.push.providers")

    var records: [String: PushRecord] = [:]
    var apps: [String: PushAppRecord] = [:]
    var watchers: [Int: PushWatcher] = [:]
    var situation: NetworkSituation?
    var isAsleep = false
    let began: Double
    var runCount = 0
    /// Whether a provider's program may have changed.
    var areProgramsChanged = false
    private var problems: [String] = []
    private var lines: [PushFrame.Overview.Line] = []
    private var configurationWatch: FolderWatch?
    private var providerWatches: [String: FolderWatch] = [:]
    /// Watches all files and folders of the programs' check.
    var checkedPlaces: CheckedPlaces?
    private var following: [Task<Void, Never>] = []

    init(
        _ options: AgentOptions, networks: any NetworkWatching, store: StateStore, starter: AppStarter,
        presence: AppPresence
    ) {
        self.options = options
        self.networks = networks
        self.starter = starter
        self.presence = presence
        began = options.clock.monotonicSeconds()
        times = options.pushTimes
        startPolicy = StartPolicy(intervalSeconds: options.startIntervalSeconds)
        configurationStore = PushConfigurationStore(folder: options.pushFolder)
        stateStore = PushStateStore(stateFolder: store.folder.path, log: options.log)
        locator = ProviderLocator(folders: options.providerFolders ?? ProviderLocator.systemFolders)
        fileName = { String(store.fileName($0).dropLast(".json".count)) }
        (inputs, input) = AsyncStream.makeStream(of: Input.self)
        // An agent that ends when idle must not do so before the first check.
        isBusy.withLock { $0 = (try? configurationStore.folder.names.isEmpty) != true }
    }

    var now: Double { options.clock.monotonicSeconds() }
    var wallSeconds: Double { options.clock.wallSeconds() }

    /// Handles the input until `close`.
    /// - Parameter onIdle: called when no work is left.
    func run(from states: [PushAppState], onIdle: @Sendable () -> Void) async {
        for state in states { apps[state.app] = PushAppRecord(state: state) }
        let input = input
        configurationWatch = FolderWatch(folder: configurationStore.path, queue: watchQueue) {
            input.yield(.configurationsChanged)
        }
        if configurationWatch == nil {
            log("cannot watch \(configurationStore.path): \(String(cString: strerror(errno)).lowercased())")
        }
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
            areProgramsChanged = true
            readConfigurations()
        case .situation(let situation): take(situation)
        case .isAsleep(let isAsleep):
            guard isAsleep != self.isAsleep else { return }
            self.isAsleep = isAsleep
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
        lines.append(
            PushFrame.Overview.Line(time: wallSeconds, text: String(text.prefix(Self.maximumLineCharacterCount))))
        if lines.count > Self.maximumLineCount { lines.removeFirst() }
    }

    // MARK: What is wanted

    private func readConfigurations() {
        let content = configurationStore.load()
        for problem in content.problems where !problems.contains(problem) { log(problem) }
        problems = content.problems
        let present = Set(content.configurations.map(\.identifier))
        for configuration in content.configurations {
            let id = configuration.identifier
            if let known = records[id]?.configuration, records[id]?.isRemoved == false {
                guard known != configuration else { continue }
                records[id]?.configuration = configuration
                // A failed start may work with the new values.
                restartSoon(id)
            } else {
                var record = PushRecord(configuration: configuration, policy: RestartPolicy(times.restart))
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
        let last = self.situation
        self.situation = situation
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

    /// Follows the network, the machine's sleep and the providers' folders while any configuration is enabled.
    private func follow() {
        let isNeeded = records.values.contains { $0.configuration.isEnabled && !$0.isRemoved }
        guard isNeeded else {
            for task in following { task.cancel() }
            (following, providerWatches, checkedPlaces, situation) = ([], [:], nil, nil)
            return
        }
        let input = input
        if following.isEmpty {
            let (networks, sleeps) = (networks, options.sleeps)
            following.append(
                Task { for await situation in networks.situations() { input.yield(.situation(situation)) } })
            if let sleeps {
                following.append(Task { for await isAsleep in sleeps.sleeps() { input.yield(.isAsleep(isAsleep)) } })
            }
        }
        for folder in locator.folders where providerWatches[folder] == nil {
            providerWatches[folder] = FolderWatch(folder: folder, queue: watchQueue) {
                input.yield(.configurationsChanged)
            }
        }
    }

    /// The program of a provider in its present state. The checked files are watched from now on.
    func program(of provider: String) throws(ProviderLocator.Refusal) -> ProviderLocator.Program {
        if checkedPlaces == nil {
            let input = input
            checkedPlaces = CheckedPlaces(queue: watchQueue) { input.yield(.configurationsChanged) }
        }
        return try locator.program(of: provider, watchedBy: checkedPlaces)
    }

    /// Whether a configuration names the current network.
    func matches(_ record: PushRecord) -> Bool {
        let configuration = record.configuration
        switch situation?.primary {
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
            network: situation?.primary.map(PushText.name), networkSource: situation?.source.rawValue,
            problems: problems + [situation?.problem].compactMap(\.self),
            configurations: records.values.filter { !$0.isRemoved }
                .sorted { $0.configuration.savedCount < $1.configuration.savedCount }.map(overview),
            log: lines)
    }

    private func overview(of record: PushRecord) -> PushFrame.Overview.Configuration {
        let configuration = record.configuration
        let state =
            switch record.run?.phase {
            case .starting: "starting"
            case .active: "active"
            case .stopping: "stopping"
            case nil: record.configuration.isEnabled && matches(record) && !isAsleep ? "waiting" : "stopped"
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
        for task in following { task.cancel() }
        (following, providerWatches, checkedPlaces, configurationWatch) = ([], [:], nil, nil)
        for record in records.values {
            record.retry?.cancel()
            record.run?.deadline?.cancel()
            record.run?.connection.close()
        }
        for app in apps.values {
            app.starting?.cancel()
            app.showing?.cancel()
        }
        records = [:]
    }
}
