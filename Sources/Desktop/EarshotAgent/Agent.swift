import EarshotMessages
import EarshotSystem
import Glibc
import NearbyWire
import Synchronization

/// The agent runs the operations of apps that are in the background or not running. `docs/AGENT.md` describes it.
///
///     let agent = try Agent(options, socketPath: path)
///     agent.start()
public final class Agent: Sendable {
    /// Why the agent cannot run, as a sentence.
    public struct Failure: Error, CustomStringConvertible {
        /// The sentence.
        public let description: String
    }

    private let supervisor: Supervisor
    private let push: PushSupervisor?
    private let server: AgentServer
    private let lock: Descriptor
    private let states: [AppState]
    private let pushStates: [PushAppState]

    /// An agent that listens, but does not accept connections before `start`.
    /// - Parameters:
    ///   - options: its surroundings and limits.
    ///   - socketPath: the socket; nil if systemd passed one to this process.
    ///   - onIdle: called, with `endsWhenIdle`, when there is neither a client nor an operation.
    /// - Throws: `Failure` if another agent runs, or if the state or the socket cannot be used.
    public init(_ options: AgentOptions, socketPath: String?, onIdle: @escaping @Sendable () -> Void = {})
        throws(Failure)
    {
        let store: StateStore
        do throws(PrivateFolder.Failure) {
            store = try StateStore(folder: options.stateFolder, log: options.log)
        } catch {
            throw Failure(description: "\(error) Name a folder that you may write to, with --state or XDG_STATE_HOME.")
        }
        lock = Descriptor(owning: open("\(store.folder.path)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600))
        guard lock.number >= 0, flock(lock.number, LOCK_EX | LOCK_NB) == 0 else {
            throw Failure(
                description: "Another earshot-agent uses \(store.folder.path), or it is not writable. "
                    + "'earshot agent status' shows the one that runs.")
        }
        do {
            states = try store.load()
            pushStates =
                try options.push == nil
                ? [] : PushStateStore(stateFolder: store.folder.path, log: options.log).load()
        } catch {
            throw Failure(description: "\(error)")
        }
        let socket: CInt
        if let passed = SystemdSocket.take() {
            socket = passed
        } else if let socketPath {
            // Its socket would be removed, and its apps would lose it.
            if !options.internals.takesOverSocket, case let other = AgentSocket.connect(path: socketPath), other >= 0 {
                Glibc.close(other)
                throw Failure(
                    description:
                        "Another earshot-agent, or systemd for it, listens at \(socketPath). 'earshot agent status' shows the "
                        + "one that runs; --socket names another place.")
            }
            var folder = socketPath
            while let last = folder.popLast(), last != "/" {}
            mkdir(folder, 0o700)
            socket = AgentSocket.listen(path: socketPath)
            guard socket >= 0 else {
                let reason = String(cString: strerror(errno)).lowercased()
                throw Failure(
                    description:
                        "Cannot listen at \(socketPath): \(reason). Name a socket in a folder of yours with --socket.")
            }
        } else {
            throw Failure(
                description:
                    "There is no XDG_RUNTIME_DIR, where the socket would be. Log in with systemd or elogind, or give "
                    + "--socket.")
        }
        let starts = AppStarting(options, logFolder: store.folder.path)
        push = options.push.map { PushSupervisor(options, $0, store: store, starts: starts) }
        supervisor = Supervisor(options, store: store, starts: starts, push: push, onIdle: onIdle)
        server = AgentServer(socket, input: supervisor.input, clock: options.internals.clock, log: options.log)
        starts.presence.whenLeft { [messages = supervisor.input, calls = push?.input] app in
            messages.yield(.appLeft(app))
            calls?.yield(.appLeft(app))
        }
    }

    /// Resumes the operations that the previous agent left, and accepts connections.
    public func start() {
        Task { [supervisor, states] in await supervisor.run(from: states) }
        if let push {
            Task { [input = supervisor.input, pushStates] in
                await push.run(from: pushStates) { input.yield(.pushChanged) }
            }
        }
        server.start()
    }

    /// Ends the agent within this process, with all its operations; their state stays on the disk.
    package func close() async {
        server.close()
        await push?.close()
        await supervisor.close()
        // The next agent may begin, even while this object or a process that is just being started has the file open.
        _ = flock(lock.number, LOCK_UN)
    }

    /// Writes all unsaved state to the disk. Operations stay registered at the service, so the next agent continues
    /// them, and other devices do not notice the change.
    public func settle() async {
        await supervisor.settle()
    }
}
