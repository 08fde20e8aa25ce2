import Dispatch
import Synchronization

/// Keeps the user's decision in `$XDG_CONFIG_HOME/<application identifier>/nearby.json` (`~/.config` by default).
///
/// All programs with the same identifier share the file and see each other's changes. Invalid content counts as undecided.
public final class PermissionStore: Sendable {
    private struct State {
        /// The decision that could not be written. It replaces the file within this process.
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
        var state: PermissionState
        /// The file at that time. Any other content is newer than the decision.
        var file: PermissionFile.Content
    }

    private struct Reader {
        var last: PermissionState
        let continuation: AsyncStream<PermissionState>.Continuation
    }

    private let file: PermissionFile
    private let log: (@Sendable (String) -> Void)?
    private let queue = DispatchQueue(label: "earshot.permission")
    private let memory = Mutex(State())
    /// Held while readers receive a change, so that all receive changes in the same order. `memory` is not held, because a
    /// reader's end needs it.
    private let order = Mutex(())

    /// A store for an application. It creates no file and no folder before `set`.
    /// - Parameters:
    ///   - applicationIdentifier: names the folder.
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
    public var state: PermissionState {
        locked { current(&$0) }
    }

    /// Keeps a decision. Call it only when the user has decided.
    ///
    /// - Throws: `PermissionStoreError` if the file cannot be written. The decision then holds until this process ends, or
    ///   until another program writes the file.
    public func set(_ state: PermissionState) throws(PermissionStoreError) {
        do throws(PermissionStoreError) {
            try file.write(state)
            locked { $0.unwritten = nil }
            tellReaders()
        } catch {
            locked { $0.unwritten = Unwritten(state: state, file: file.read()) }
            tellReaders()
            throw error
        }
    }

    /// The permission now, and then each change, also by other programs. Each call returns a new stream. If a reader falls more
    /// than 16 behind, its stream drops the oldest.
    public var changes: AsyncStream<PermissionState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PermissionState.self, bufferingPolicy: .bufferingNewest(16))
        let number = locked { memory in
            if memory.watch == nil { watch(&memory) }
            memory.readerCount += 1
            let now = current(&memory)
            memory.readers[memory.readerCount] = Reader(last: now, continuation: continuation)
            continuation.yield(now)
            return memory.readerCount
        }
        // A stream keeps the store; otherwise it would neither continue nor end.
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
        memory.watch = FolderWatch(folder: file.folder, queue: queue) { [weak self] in self?.tellReaders() }
        guard memory.watch == nil else { return }
        memory.notes.append("Cannot watch \(file.folder): changes by other programs go unnoticed.")
    }

    private func tellReaders() {
        order.withLock { _ in
            let (now, readers) = locked { memory in
                let now = current(&memory)
                let readers = memory.readers.filter { $0.value.last != now }
                for number in readers.keys { memory.readers[number]?.last = now }
                return (now, readers.values.map(\.continuation))
            }
            for reader in readers { reader.yield(now) }
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

    private func current(_ memory: inout State) -> PermissionState {
        let content = file.read()
        if let unwritten = memory.unwritten {
            if content == unwritten.file { return unwritten.state }
            memory.unwritten = nil
        }
        switch content {
        case .missing:
            memory.complaint = nil
            return .undecided
        case .state(let state):
            memory.complaint = nil
            return state
        case .invalid(let reason):
            if memory.complaint != reason {
                memory.notes.append("\(file.path) is invalid and counts as undecided: \(reason).")
                memory.complaint = reason
            }
            return .undecided
        }
    }
}
