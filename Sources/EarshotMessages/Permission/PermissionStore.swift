import Dispatch
import Synchronization

/// What the user decided, kept in `$XDG_CONFIG_HOME/<application identifier>/nearby.json` (`~/.config` by default).
///
/// All programs with one identifier share the file, and hear of each other's changes.
/// A file that makes no sense is as if nothing had been decided.
public final class PermissionStore: Sendable {
    private struct State {
        /// In place of the file where that cannot be written: what the user said holds for this process at least.
        var unwritten: Unwritten?
        /// What was said about the file last, so that it is said once.
        var complaint: String?
        /// To be logged when the lock is no longer held: a log may ask us something.
        var notes: [String] = []
        var watch: FolderWatch?
        var readers: [UInt64: Reader] = [:]
        var readerCount: UInt64 = 0
    }

    private struct Unwritten {
        var state: PermissionState
        /// Something else there is newer.
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
    /// Held while readers are told, so that all are told in the same order. A reader's end needs `memory`, which therefore is not.
    private let order = Mutex(())

    /// - Parameters:
    ///   - applicationIdentifier: names the folder.
    ///   - configurationFolder: in place of `$XDG_CONFIG_HOME`.
    ///   - log: gets what was wrong with the file.
    public init(
        applicationIdentifier: String, configurationFolder: String? = nil, log: (@Sendable (String) -> Void)? = nil
    ) {
        let folder = ConfigurationFolder(applicationIdentifier: applicationIdentifier, base: configurationFolder)
        file = PermissionFile(folder: folder.path)
        self.log = log
    }

    /// The file. It need not be there.
    public var path: String { file.path }

    /// What holds now.
    public var state: PermissionState {
        locked { current(&$0) }
    }

    /// Keeps a decision. To be called when the user decided, and then only.
    ///
    /// - Throws: where the file cannot be written. The decision holds nevertheless until this process ends, or until somebody else
    ///   writes the file.
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

    /// What holds now, and then each change, whoever made it. Each caller has a stream of its own.
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
        // Whoever reads keeps the store: else the stream would neither go on nor end.
        continuation.onTermination = { [self] _ in remove(reader: number) }
        return stream
    }

    private func remove(reader number: UInt64) {
        // The watch ends with the last reader, and not while the lock is held.
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
        memory.notes.append("Cannot watch \(file.folder): changes by other programs are not noticed.")
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
        case .nonsense(let reason):
            if memory.complaint != reason {
                memory.notes.append("\(file.path) is taken for undecided: \(reason).")
                memory.complaint = reason
            }
            return .undecided
        }
    }
}
