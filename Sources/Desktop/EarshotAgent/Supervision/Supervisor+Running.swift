import EarshotDiscovery
import EarshotMessages
import Foundation
import NearbyWire

/// The running operations and their managers.
extension Supervisor {
    /// Starts an operation of the app's state.
    func start(_ id: String, of app: String) {
        guard let index = apps[app]?.index(of: id), let order = apps[app]?.state.operations[index].order,
            let url = order.serviceURL
        else { return }
        let name = ManagerName(key: order.key, service: order.service)
        let manager = manager(name, url, app)
        runCount += 1
        let (number, input) = (runCount, input)
        let news: @Sendable (RunNews) -> Void = { input.yield(.run(app: app, id: id, number: number, $0)) }
        var strategy = DiscoveryStrategy()
        strategy.mode = order.discoveryMode
        strategy.isAllowedInBackground = true
        strategy.timeToLive = order.endsAt.map { .seconds(max(0.001, $0 - wallSeconds)) }
        let handle: any AnyObject & Sendable
        let tasks: [Task<Void, Never>]
        do throws(MessageError) {
            if let content = order.content {
                let publication = try manager.publish(
                    Message(content: content, type: order.type, namespace: order.namespace), strategy: strategy)
                handle = publication
                tasks = [follow(publication.statuses, news)]
            } else {
                let subscription = try subscribe(manager, order, strategy)
                handle = subscription
                let events = Task { for await event in subscription { news(.event(event)) } }
                tasks = [follow(subscription.statuses, news), events]
            }
        } catch {
            return options.log("\(app): cannot run \(id): \(error)")
        }
        apps[app]?.runs[id] = OperationRun(number: number, handle: handle, tasks: tasks, manager: name)
    }

    private func subscribe(
        _ manager: MessageManager, _ order: BackgroundOperation, _ strategy: DiscoveryStrategy
    ) throws(MessageError) -> Subscription {
        guard let beacons = order.beacons else {
            return try manager.subscribe(namespace: order.namespace, type: order.type, strategy: strategy)
        }
        var wanted = BeaconStrategy()
        wanted.includesIBeacons = beacons.includesIBeacons
        wanted.prefersLowPower = beacons.prefersLowPower
        wanted.isAllowedInBackground = true
        return try manager.subscribe(
            namespace: order.namespace, type: order.type, beacons: wanted,
            strategy: order.discoveryMode.isEmpty ? nil : strategy)
    }

    private func follow(
        _ statuses: AsyncStream<OperationStatus>, _ news: @escaping @Sendable (RunNews) -> Void
    ) -> Task<Void, Never> {
        Task {
            for await status in statuses { news(.status(status)) }
            if !Task.isCancelled { news(.over) }
        }
    }

    private func manager(_ name: ManagerName, _ url: URL, _ app: String) -> MessageManager {
        if let box = apps[app]?.managers[name] { return box.manager }
        let (options, input) = (options, input)
        let consent = Consent(
            applicationIdentifier: app, configurationFolder: options.internals.configurationFolder,
            missingReasons: .ignored, log: options.log, warn: options.log)
        var configuration = MessageManager.Configuration(
            serviceURL: url, applicationIdentifier: app, media: options.media, permission: consent)
        configuration.beacons = options.beacons
        configuration.internals.isAgent = true
        options.internals.configure?(&configuration)
        let memory =
            apps[app]?.state.sessions.first { $0.key == name.key && $0.service == name.service }
            ?? AppState.Session(key: name.key, service: name.service, secret: "")
        let web = configuration
        configuration.internals.service = { key in
            ResumingService(options.internals.service?(key) ?? web.webService(key: key), memory: memory) {
                input.yield(.session(app: app, $0))
            }
        }
        let manager = MessageManager(key: name.key, configuration: configuration)
        let problems = manager.problems
        let watching = Task {
            for await problem in problems { input.yield(.problems(app: app, name, problem)) }
        }
        apps[app]?.managers[name] = ManagerBox(manager: manager, watching: watching)
        return manager
    }

    /// Ends an operation permanently, in memory; the caller saves the state.
    func finish(_ id: String, of app: String) {
        apps[app]?.state.operations.removeAll { $0.order.id == id }
        guard let run = apps[app]?.runs.removeValue(forKey: id) else { return }
        run.stop()
        guard apps[app]?.runs.values.contains(where: { $0.manager == run.manager }) == false,
            let box = apps[app]?.managers.removeValue(forKey: run.manager)
        else { return }
        // The last operation with this key: its session at the service ends too.
        apps[app]?.state.sessions.removeAll { $0.key == run.manager.key && $0.service == run.manager.service }
        box.watching.cancel()
        Task { await box.manager.stop() }
    }

    func take(_ news: RunNews, of id: String, run number: Int, app: String) {
        guard let run = apps[app]?.runs[id], run.number == number else { return }
        switch news {
        case .event(.found(let received)): found(received, of: id, app: app)
        case .event(.lost(let received)): lost(received.id, of: id, app: app)
        case .status(let status):
            guard run.status != status else { return }
            apps[app]?.runs[id]?.status = status
            tellState(id, app)
        case .over:
            options.log("\(app): the time of \(id) is over")
            finish(id, of: app)
            for (number, client) in clients where client.app == app { clients[number]?.claims[id] = nil }
            saveNow(app)
        }
    }

    func take(_ problem: ManagerProblem, of name: ManagerName, app: String) {
        apps[app]?.managers[name]?.problems.removeAll { $0.kind == problem.kind }
        if !problem.isSolved { apps[app]?.managers[name]?.problems.append(problem) }
        options.log(
            "\(app): \(problem.isSolved ? "solved" : "problem"): \(problem.detail.isEmpty ? "\(problem.kind)" : problem.detail)"
        )
        for (id, run) in apps[app]?.runs ?? [:] where run.manager == name { tellState(id, app) }
    }

    /// Sends the state of an operation to the processes that have requested it.
    /// - Parameter only: the only client to send it to; nil for all.
    func tellState(_ id: String, _ app: String, to only: Int? = nil) {
        guard let run = apps[app]?.runs[id] else { return }
        let problems = apps[app]?.managers[run.manager]?.problems.map(AgentProblem.init) ?? []
        let state = AgentFrame.state(AgentFrame.State(id: id, status: run.status, problems: problems))
        for (number, client) in clients where client.app == app && client.claims[id] != nil {
            if only == nil || only == number { client.connection.send(state) }
        }
    }
}
