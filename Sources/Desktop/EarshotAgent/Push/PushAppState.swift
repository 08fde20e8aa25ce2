import EarshotMessages
import EarshotPush
import EarshotSystem
import Foundation
import Glibc
import NearbyWire

/// The stored state of local push for an app: reports of its providers that the app has not received yet.
struct PushAppState: Codable, Sendable, Hashable {
    /// Increased with each change that an older agent would misunderstand.
    static let version = 1
    static let maximumRecentCount = 64
    static let maximumNotificationCount = 32
    static let maximumProcessCount = 8

    /// A report of a provider, to recognise the same report from its next process.
    struct Recent: Codable, Sendable, Hashable {
        /// Of the content.
        var digest: String
        /// The process of the provider.
        var run: String
        /// Seconds since 1970.
        var time: Double
    }

    /// A notification that no desktop has shown yet.
    struct Notification: Codable, Sendable, Hashable {
        var configuration: String
        var identifier: String
        var title: String
        var body: String
        /// See `ProviderFrame.Notify`.
        var sound: String?
        var badge: Int?

        /// The identifier on the desktop.
        var name: String { "push-\(configuration)-\(identifier)" }
    }

    /// A process of the app.
    struct Process: Codable, Sendable, Hashable {
        var number: Int32
        /// Its start time, which tells it from a later process with the same number.
        var start: UInt64

        var isAlive: Bool { ProviderLock.startTime(of: number) == start }
    }

    var version = PushAppState.version
    var app: String
    /// The folder that may have the app's manifest.
    var programFolder: String?
    var waiting: [PushFrame.Event] = []
    var recent: [Recent] = []
    var notifications: [Notification] = []
    var starts = AppState.Starts()
    /// Processes of the app that were started or connected, the latest last. Those that are running when the agent
    /// starts are about to connect.
    private(set) var processes: [Process] = []

    init(app: String) { self.app = app }

    mutating func note(_ process: Int32) {
        guard let start = ProviderLock.startTime(of: process) else { return }
        let noted = Process(number: process, start: start)
        if processes.last == noted { return }
        processes.removeAll { $0.number == process || !$0.isAlive }
        processes.append(noted)
        if processes.count > Self.maximumProcessCount { processes.removeFirst() }
    }

    /// The recorded processes that still run.
    var livingProcesses: [Int32] { processes.filter(\.isAlive).map(\.number) }

    var isEmpty: Bool { waiting.isEmpty && recent.isEmpty && notifications.isEmpty }

    /// Stores an event for the app, and drops the oldest beyond the limit.
    /// - Returns: the number of dropped events.
    mutating func wait(_ event: PushFrame.Event) -> Int {
        waiting.append(event)
        let count = max(0, waiting.count - PushFrame.maximumWaitingCount)
        waiting.removeFirst(count)
        return count
    }

    /// Records a report.
    /// - Returns: whether an earlier process has made the same report.
    mutating func isRepeated(_ digest: String, run: String, now: Double, within seconds: Double) -> Bool {
        recent.removeAll { !(abs(now - $0.time) <= seconds) }
        if recent.contains(where: { $0.digest == digest && $0.run != run }) { return true }
        recent.append(Recent(digest: digest, run: run, time: now))
        if recent.count > Self.maximumRecentCount { recent.removeFirst(recent.count - Self.maximumRecentCount) }
        return false
    }
}

/// The files of `PushAppState`: `$XDG_STATE_HOME/earshot/agent/push/APP.json`, and the providers' locks beside them.
struct PushStateStore: Sendable {
    private static let maximumByteCount = 8 << 20
    private static let suffix = ".json"

    let folder: PrivateFolder
    private let log: @Sendable (String) -> Void

    /// - Parameter stateFolder: the agent's folder, which exists. The folder of local push is created with the first
    ///   write.
    init(stateFolder: String, log: @escaping @Sendable (String) -> Void) {
        folder = PrivateFolder("\(stateFolder)/push")
        self.log = log
    }

    /// The states of all apps. An invalid file is renamed.
    /// - Throws: `Failure` if a file or the list of them cannot be read.
    func load() throws -> [PushAppState] {
        folder.tidy()
        return try folder.names.filter { $0.hasSuffix(Self.suffix) }.compactMap { name in
            if let bytes = try folder.readUsable(name, maximumByteCount: Self.maximumByteCount),
                let state = try? JSONDecoder().decode(PushAppState.self, from: Data(bytes)),
                state.version == PushAppState.version, state.waiting.count <= PushFrame.maximumWaitingCount
            {
                return state
            }
            folder.putAside(name, log)
            return nil
        }
    }

    /// Writes the state of an app, or removes its file if the state is empty.
    func save(_ state: PushAppState, name: String) throws(PrivateFolder.Failure) {
        if state.isEmpty { return try folder.remove(name) }
        let bytes = try folder.encode(state, name)
        try folder.make()
        try folder.write(bytes, to: name)
    }

    /// The lock of a configuration's provider.
    func lockPath(_ configuration: String) -> String { "\(folder.path)/\(configuration).lock" }
}
