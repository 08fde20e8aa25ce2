import EarshotDiscovery
import EarshotMessages
import EarshotSystem
import Foundation
import Glibc
import NearbyWire

/// The frames of the clients.
extension Supervisor {
    /// The longest identifier of an app, in bytes.
    private static let maximumAppByteCount = 128
    private static let maximumKnownCount = 1_024

    func open(_ number: Int, _ connection: AgentConnection, _ process: Int32, _ backlog: FrameBacklog) {
        clients[number] = AgentClientRecord(connection: connection, process: process, backlog: backlog)
    }

    func close(_ number: Int) {
        guard let client = clients.removeValue(forKey: number) else { return }
        push?.input.yield(.closed(number))
        guard let app = client.app else { return }
        starts.presence.remove(app)
        for (id, claim) in client.claims where !isClaimed(id, app: app) {
            // The next process must get the events that this one did not acknowledge.
            for (_, event) in claim.unacknowledged { enqueue(event, of: id, app: app) }
        }
        if !client.claims.isEmpty { options.log("\(app): process \(client.process) left; its operations go on") }
        saveNow(app)
    }

    func take(_ frame: ClientFrame, from number: Int) {
        guard let client = clients[number] else { return }
        if case .hello(let hello) = frame { return begin(hello, number) }
        guard client.hasBegun else { return refuse(number, "The first frame must be hello.") }
        switch (frame, client.app) {
        case (.request(let request), _) where request.action == .push:
            guard let push else { return refuse(number, "This agent does no local push.") }
            push.input.yield(.overview(client.connection))
        case (.request(let request), _): handle(request, number)
        case (.pushWatch(let watch), let app?):
            guard let push, watch.version == PushFrame.version else {
                return refuse(
                    number,
                    push == nil
                        ? "This agent does no local push."
                        : "This earshot-agent speaks version \(PushFrame.version) of local push, not \(watch.version).")
            }
            let latest = watch.taken.suffix(PushFrame.Watch.maximumTakenCount)
            push.input.yield(.watching(number, app, taken: Array(latest), client.connection, process: client.process))
        case (.pushTaken(let taken), let app?): push?.input.yield(.taken(number, app, taken.ids))
        case (.hold(let hold), let app?): self.hold(hold, app, number)
        case (.release(let name), let app?): release(name.id, app, number)
        case (.acknowledge(let acknowledgement), let app?): acknowledge(acknowledgement, app, number)
        case (.situation(let situation), _?): clients[number]?.isForeground = situation.isForeground
        case (.notify(let notify), let app?): show(notify, app, number)
        case (.withdraw(let name), _?): withdraw(name.id, of: number)
        default: refuse(number, "Only an app can do this: say hello with its identifier.")
        }
    }

    /// Ends a connection with the reason.
    private func refuse(_ number: Int, _ sentence: String) {
        guard let connection = clients[number]?.connection else { return }
        connection.send(AgentFrame.refusal(AgentFrame.Refusal(sentence)))
        connection.closeAfterSending()
    }

    private func begin(_ hello: ClientFrame.Hello, _ number: Int) {
        guard let client = clients[number], !client.hasBegun else {
            return refuse(number, "There was a hello already.")
        }
        guard hello.version == AgentProtocol.version else {
            return refuse(
                number,
                "This earshot-agent speaks version \(AgentProtocol.version) of the protocol, not \(hello.version). "
                    + "Install the same release of the agent and the program.")
        }
        if let app = hello.app {
            let isValid =
                !app.isEmpty && app.utf8.count <= Self.maximumAppByteCount
                && app.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            guard isValid else {
                return refuse(number, "An app's identifier has 1 to \(Self.maximumAppByteCount) bytes of text.")
            }
        }
        clients[number]?.hasBegun = true
        if let app = hello.app {
            hasServed = true
            starts.presence.add(app)
        }
        clients[number]?.app = hello.app
        client.connection.send(AgentFrame.welcome(AgentFrame.Welcome(notifies: true)))
        guard let app = hello.app, let record = apps[app], !record.state.operations.isEmpty, record.tasks.tidying == nil
        else {
            return
        }
        apps[app]?.tasks.tidying = later(options.claimSeconds, .tidyDue(app: app))
    }

    // MARK: Operations

    private func hold(_ hold: ClientFrame.Hold, _ app: String, _ number: Int) {
        let order = hold.operation
        guard let client = clients[number] else { return }
        if let refusal = refusal(of: hold, app, client) {
            options.log("\(app): refused: \(refusal)")
            let id =
                order.flaw == nil ? order.id : String(order.id.prefix(BackgroundOperation.maximumIdentifierByteCount))
            client.connection.send(AgentFrame.refusal(AgentFrame.Refusal(id: id, refusal)))
            return
        }
        if apps[app] == nil { apps[app] = AppRecord(state: AppState(app: app)) }
        if let folder = Self.programFolder(of: client.process) { apps[app]?.state.programFolder = folder }
        if let index = apps[app]?.index(of: order.id), let known = apps[app]?.state.operations[index].order {
            if !known.isSame(as: order) {
                // An app may choose identifiers itself, and reuse one.
                finish(order.id, of: app)
            } else {
                apps[app]?.state.operations[index].order.endsAt = order.endsAt
            }
        }
        let isNew = apps[app]?.index(of: order.id) == nil
        if isNew { apps[app]?.state.operations.append(AppState.Operation(order: order, since: wallSeconds)) }
        if let failure = saveNow(app) {
            if isNew { finish(order.id, of: app) }
            client.connection.send(AgentFrame.refusal(AgentFrame.Refusal(id: order.id, failure)))
            return
        }
        if isNew {
            options.log("\(app): holds a \(order.kind), \(order.id)")
            start(order.id, of: app)
        }
        clients[number]?.claims[order.id, default: AgentClientRecord.Claim()].known = Set(hold.known)
        client.connection.send(AgentFrame.held(ClientFrame.Name(order.id)))
        tellState(order.id, app, to: number)
        bringUpToDate(order.id, app, number)
    }

    /// The reason why an operation is refused, as a sentence; nil if it is accepted.
    private func refusal(of hold: ClientFrame.Hold, _ app: String, _ client: AgentClientRecord) -> String? {
        let order = hold.operation
        if let flaw = order.flaw { return flaw }
        guard hold.known.count <= Self.maximumKnownCount, hold.known.allSatisfy({ $0.utf8.count <= 128 }) else {
            return "More than \(Self.maximumKnownCount) messages are known, or an identifier of one is too long."
        }
        let record = apps[app]
        if record?.stoppedProcesses.contains(client.process) == true {
            return "The user ended the background work of this process with 'earshot agent stop'."
        }
        if record == nil, apps.count >= Self.maximumAppCount {
            return
                "The agent holds the operations of \(Self.maximumAppCount) apps already. 'earshot agent list' shows them."
        }
        if let record, record.index(of: order.id) == nil,
            record.state.operations.count >= AppState.maximumOperationCount
        {
            return "The app has \(AppState.maximumOperationCount) operations in the background already, the maximum."
        }
        if let end = order.endsAt, end <= wallSeconds { return "The operation has ended: its time is over." }
        let manifest = BackgroundManifest.load(
            app: app, programFolder: Self.programFolder(of: client.process),
            configurationFolder: options.internals.configurationFolder, log: options.log)
        if let refusal = manifest.refusal(of: order) { return refusal }
        let permission = PermissionStore(
            applicationIdentifier: app, configurationFolder: options.internals.configurationFolder, log: options.log)
        guard permission.state == .granted else {
            return "The user has not allowed \(app) to find devices nearby, as far as \(permission.path) says. "
                + "Start the app and answer its question, or write {\"permission\":\"granted\"} into that file."
        }
        guard order.beacons?.scan.needsLocation != true || permission.backgroundLocation == .granted else {
            return "The user has not allowed \(app) to follow where the device is in the background, as far as "
                + "\(permission.path) says. Start the app and answer its question, or add \"backgroundLocation\":\"granted\" to that file."
        }
        return nil
    }

    /// The folder of a process's program; nil if the kernel does not report it.
    static func programFolder(of process: Int32) -> String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/\(process)/exe", &path, path.count)
        let bytes = path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(decoding: bytes[..<slash], as: UTF8.self)
    }

    private func release(_ id: String, _ app: String, _ number: Int) {
        clients[number]?.claims[id] = nil
        if apps[app]?.index(of: id) != nil, !isClaimed(id, app: app) {
            finish(id, of: app)
            // Without an answer, the app repeats its request.
            guard saveNow(app) == nil else { return refuse(number, "The state cannot be written.") }
            options.log("\(app): released \(id)")
        }
        clients[number]?.connection.send(AgentFrame.released(ClientFrame.Name(id)))
    }

    /// Ends the operations that no process of the app requests any longer.
    func tidy(_ app: String) {
        apps[app]?.tasks.tidying = nil
        guard clients.values.contains(where: { $0.app == app }), let record = apps[app] else { return }
        let old = record.state.operations.map(\.order.id).filter { !isClaimed($0, app: app) }
        guard !old.isEmpty else { return }
        for id in old {
            options.log("\(app): ended \(id), which its present process does not hold")
            finish(id, of: app)
        }
        saveNow(app)
    }

    func isClaimed(_ id: String, app: String) -> Bool {
        clients.values.contains { $0.app == app && $0.claims[id] != nil }
    }

    // MARK: Administration

    private func handle(_ request: ClientFrame.Request, _ number: Int) {
        switch request.action {
        case .overview, .push: break
        case .stop, .forget:
            guard let app = request.app, apps[app] != nil else {
                clients[number]?.connection.send(
                    AgentFrame.refusal(
                        AgentFrame.Refusal(
                            id: "",
                            "There is no app '\(request.app ?? "")'. 'earshot agent list' shows the apps and their operations."
                        )))
                return
            }
            if let failure = stop(app, isForgetting: request.action == .forget) {
                clients[number]?.connection.send(AgentFrame.refusal(AgentFrame.Refusal(id: "", failure)))
                return
            }
        }
        clients[number]?.connection.send(AgentFrame.overview(overview))
    }

    /// - Returns: the reason for a failure, as a sentence.
    private func stop(_ app: String, isForgetting: Bool) -> String? {
        options.log("\(app): the user \(isForgetting ? "forgets it" : "ends its background work")")
        for id in apps[app]?.state.operations.map(\.order.id) ?? [] {
            for (number, client) in clients where client.app == app && client.claims[id] != nil {
                clients[number]?.claims[id] = nil
                client.connection.send(
                    AgentFrame.refusal(
                        AgentFrame.Refusal(
                            id: id, "The user ended the background work of this process with 'earshot agent stop'.")))
            }
            finish(id, of: app)
        }
        for client in clients.values where client.app == app { apps[app]?.stoppedProcesses.insert(client.process) }
        if let failure = saveNow(app) { return failure }
        guard isForgetting else { return nil }
        removeNotices(of: app)
        apps[app]?.tasks.starting?.cancel()
        removeNotifications(of: app)
        do throws(PrivateFolder.Failure) { try store.forget(app: app) } catch { return "\(error)" }
        if !clients.values.contains(where: { $0.app == app }) { apps[app] = nil }
        return nil
    }

    private var overview: AgentOverview {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let cpu = [usage.ru_utime, usage.ru_stime].reduce(0.0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
            .dropFirst()
            .first.flatMap { Int($0) }
        return AgentOverview(
            process: getpid(), uptimeSeconds: monotonicSeconds - starts.began, cpuSeconds: cpu,
            residentByteCount: (pages ?? 0) * sysconf(CInt(_SC_PAGESIZE)),
            apps: apps.values.map(overview).sorted { $0.app < $1.app })
    }

    /// Whether the radio cannot be used, so it listens at no time.
    private func isDeaf(_ record: AppRecord, _ run: OperationRun?) -> Bool {
        run.flatMap {
            record.managers[$0.manager]?.problems.contains {
                if case .medium = $0.kind { true } else { false }
            }
        } ?? true
    }

    private func overview(of record: AppRecord) -> AgentOverview.App {
        let processes = clients.values.filter { $0.app == record.state.app }
        return AgentOverview.App(
            app: record.state.app, processes: processes.map(\.process).sorted(),
            isForeground: processes.contains(where: \.isForeground),
            operations: record.state.operations.map { operation in
                let run = record.runs[operation.order.id]
                return AgentOverview.Operation(
                    operation.order, status: "\(run?.status ?? OperationStatus.inactive)", media: ["ble"],
                    problems: run.flatMap { record.managers[$0.manager]?.problems.map(AgentProblem.init) } ?? [],
                    since: operation.since,
                    radioShare: run?.status != .active || isDeaf(record, run)
                        ? 0 : options.radioShare(of: operation.order),
                    nearCount: run?.near.count ?? 0, waitingCount: operation.waiting.count)
            }, startCount: record.startCount, failedStartCount: record.state.starts.failureCount)
    }
}
