import Dispatch
import EarshotSystem
import NearbyWire
import Synchronization

/// Stores the user's decisions in `$XDG_CONFIG_HOME/<application identifier>/nearby.json` (`~/.config` by default): on
/// devices nearby, on the location, which beacons reveal, and on the location in the background.
///
/// All programs with the same identifier share the file and see each other's changes. Invalid content counts as undecided.
public final class PermissionStore: Sendable {
    private struct State {
        /// The decisions that could not be written. They replace the file within this process.
        var unwritten: Unwritten?
        /// The latest complaint about the file, to log each one once.
        var complaint: String?
        /// Lines to log after the lock is released: a log may call the store.
        var notes: [String] = []
        var watch: FolderWatch?
        var readers: [UInt64: Reader] = [:]
        var readerCount: UInt64 = 0
    }

    private struct Unwritten {
        var decisions: PermissionDecisions
        /// The file at that time. Any other content is newer than the decisions.
        var file: PermissionFile.Content
    }

    private struct Reader {
        let topics: Set<PermissionTopic>
        var last: PermissionState
        let continuation: AsyncStream<PermissionState>.Continuation
    }

    private let file: PermissionFile
    private let log: (@Sendable (String) -> Void)?
    private let queue = DispatchQueue(label: "earshot.permission")
    private let memory = Mutex(State())
    /// Locked while readers receive a change, so that all receive changes in the same order. `memory` is not locked,
    /// because a reader's end needs it.
    private let order = Mutex(())

    /// A store for an application. It creates no file and no folder before `set`.
    /// - Parameters:
    ///   - applicationIdentifier: the name of the folder.
    ///   - configurationFolder: replaces `$XDG_CONFIG_HOME`; nil for that.
    ///   - log: receives lines about an invalid or unwritable file.
    public init(
        applicationIdentifier: String, configurationFolder: String? = nil, log: (@Sendable (String) -> Void)? = nil
    ) {
        let folder = ConfigurationFolder(applicationIdentifier: applicationIdentifier, base: configurationFolder)
        file = PermissionFile(folder: folder.path)
        self.log = log
    }

    /// The path of the file, which need not exist.
    public var path: String { file.path }

    /// The permission now, read from the file.
    public var state: PermissionState { decisions[.nearby] }

    /// The permission to know where the device is, read from the file. Scans for iBeacons need it, and continuous scans
    /// for any beacons.
    public var location: PermissionState { decisions[.location] }

    /// The same while the program is not running.
    public var backgroundLocation: PermissionState { decisions[.backgroundLocation] }

    var decisions: PermissionDecisions {
        locked { current(&$0) }
    }

    /// Stores a decision. Call it only when the user has decided. The decision on the location does not change.
    ///
    /// - Throws: `PermissionStoreError` if the file cannot be written. The decision then holds until this process ends, or
    ///   until another program writes the file.
    public func set(_ state: PermissionState) throws(PermissionStoreError) {
        try set(state, for: .nearby)
    }

    /// Stores a decision on the location. Call it only when the user has decided. The other decisions do not change.
    ///
    /// - Throws: the same as `set`.
    public func setLocation(_ state: PermissionState) throws(PermissionStoreError) {
        try set(state, for: .location)
    }

    /// Stores a decision on the location in the background. Call it only when the user has decided. The other decisions
    /// do not change.
    ///
    /// - Throws: the same as `set`.
    public func setBackgroundLocation(_ state: PermissionState) throws(PermissionStoreError) {
        try set(state, for: .backgroundLocation)
    }

    func set(_ state: PermissionState, for topic: PermissionTopic) throws(PermissionStoreError) {
        do throws(PermissionStoreError) {
            try file.update { decisions in
                // Also write earlier decisions of this process that could not be written before.
                let earlier = locked { validUnwritten(&$0) }
                decisions = earlier ?? decisions
                decisions[topic] = state
            }
            locked { $0.unwritten = nil }
            tellReaders()
        } catch {
            locked { memory in
                var decisions = current(&memory)
                decisions[topic] = state
                memory.unwritten = Unwritten(decisions: decisions, file: file.read())
            }
            tellReaders()
            throw error
        }
    }

    /// The permission now, and then each change, also by other programs. Each call returns a new stream. If a reader is
    /// more than 16 elements late, its stream drops the oldest.
    public var changes: AsyncStream<PermissionState> { changes(of: [.nearby]) }

    /// The permission to know where the device is, and then each change; see `changes`.
    public var locationChanges: AsyncStream<PermissionState> { changes(of: [.location]) }

    /// The combined state of all these topics, and then each change.
    func changes(of topics: Set<PermissionTopic>) -> AsyncStream<PermissionState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PermissionState.self, bufferingPolicy: .bufferingNewest(16))
        let number = locked { memory in
            if memory.watch == nil { watch(&memory) }
            memory.readerCount += 1
            let now = current(&memory)[topics]
            memory.readers[memory.readerCount] = Reader(topics: topics, last: now, continuation: continuation)
            continuation.yield(now)
            return memory.readerCount
        }
        // A stream keeps the store alive; otherwise it would neither continue nor end.
        continuation.onTermination = { [self] _ in remove(reader: number) }
        return stream
    }

    private func remove(reader number: UInt64) {
        // The last reader ends the watch, outside the lock.
        let ended = locked { memory -> FolderWatch? in
            memory.readers[number] = nil
            guard memory.readers.isEmpty else { return nil }
            defer { memory.watch = nil }
            return memory.watch
        }
        withExtendedLifetime(ended) {}
    }

    private func watch(_ memory: inout State) {
        memory.watch = FolderWatch(folder: file.folder.path, queue: queue) { [weak self] in self?.tellReaders() }
        guard memory.watch == nil else { return }
        memory.notes.append("Cannot watch \(file.folder.path): changes by other programs go unnoticed.")
    }

    private func tellReaders() {
        order.withLock { _ in
            let news = locked { memory in
                let decisions = current(&memory)
                var news: [(AsyncStream<PermissionState>.Continuation, PermissionState)] = []
                for (number, reader) in memory.readers where reader.last != decisions[reader.topics] {
                    memory.readers[number]?.last = decisions[reader.topics]
                    news.append((reader.continuation, decisions[reader.topics]))
                }
                return news
            }
            for (reader, state) in news { reader.yield(state) }
        }
    }

    private func locked<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, notes) = memory.withLock { memory in
            let result = body(&memory)
            defer { memory.notes = [] }
            return (result, memory.notes)
        }
        for note in notes { log?(note) }
        return result
    }

    /// The decisions that could not be written; nil if there are none, or if another program wrote the file since.
    private func validUnwritten(_ memory: inout State) -> PermissionDecisions? {
        guard let unwritten = memory.unwritten else { return nil }
        if file.read() == unwritten.file { return unwritten.decisions }
        memory.unwritten = nil
        return nil
    }

    private func current(_ memory: inout State) -> PermissionDecisions {
        if let unwritten = validUnwritten(&memory) { return unwritten }
        switch file.read() {
        case .missing:
            memory.complaint = nil
            return PermissionDecisions()
        case .decisions(let decisions):
            memory.complaint = nil
            return decisions
        case .invalid(let reason), .unreadable(let reason):
            if memory.complaint != reason {
                memory.notes.append("\(file.path) cannot be used and counts as undecided: \(reason).")
                memory.complaint = reason
            }
            return PermissionDecisions()
        }
    }
}
