import Dispatch
import Glibc
import Synchronization

/// Starts apps as processes of their own, and says when they end.
///
/// An app gets a session of its own. What it prints goes to the journal where the agent's does, and to a log file otherwise.
final class AppStarter: Sendable {
    /// A log file beyond this size is begun anew.
    private static let maximumLogByteCount = 1 << 20

    /// Why an app is started. Its environment says so: `EARSHOT_LAUNCHED_BY` is `found`, `call` or `click`.
    enum Reason: Sendable {
        case found
        /// A provider has reported a call.
        case call
        /// The user clicked a notification of these texts.
        case click(title: String, body: String)

        var text: String {
            switch self {
            case .found: "something was found"
            case .call: "a provider has reported something to it"
            case .click: "its notification was clicked"
            }
        }

        fileprivate var environment: [String] {
            switch self {
            case .found: ["EARSHOT_LAUNCHED_BY=found"]
            case .call: ["EARSHOT_LAUNCHED_BY=call"]
            case .click(let title, let body):
                [
                    "EARSHOT_LAUNCHED_BY=click", "EARSHOT_NOTIFICATION_TITLE=\(title.withoutZeros)",
                    "EARSHOT_NOTIFICATION_BODY=\(body.withoutZeros)",
                ]
            }
        }
    }

    private struct State {
        var children: [pid_t: @Sendable (CInt) -> Void] = [:]
        var signals: SignalSource?
    }

    private let logFolder: String
    private let queue = DispatchQueue(label: "earshot.agent.apps")
    private let state = Mutex(State())

    /// - Parameter logFolder: the folder of the log files; it must exist.
    init(logFolder: String) { self.logFolder = logFolder }

    /// Starts an app.
    /// - Parameters:
    ///   - command: an absolute path and arguments.
    ///   - name: the app as a file name.
    ///   - app: the app, which its environment names as `EARSHOT_APP_ID`.
    ///   - reason: what its environment says.
    ///   - onEnd: receives the status of `waitpid` when the process ends.
    /// - Returns: the process; nil, with the reason in `errno`, if it cannot be started.
    func start(
        _ command: [String], name: String, app: String, because reason: Reason,
        onEnd: @escaping @Sendable (CInt) -> Void
    ) -> pid_t? {
        spawn(command, name: name, variables: ["EARSHOT_APP_ID=\(app)"] + reason.environment, onEnd: onEnd)
    }

    /// Starts a program in a session and a process group of its own.
    /// - Parameters:
    ///   - variables: added to the agent's environment.
    ///   - descriptors: the process gets them as 3, 4 and so on. They must be above these numbers.
    func spawn(
        _ command: [String], name: String, variables: [String], descriptors: [CInt] = [],
        onEnd: @escaping @Sendable (CInt) -> Void
    ) -> pid_t? {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Swift does not import POSIX_SPAWN_SETSID.
        let newSession: Int16 = 0x80
        posix_spawnattr_setflags(
            &attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        var set = sigset_t()
        sigemptyset(&set)
        posix_spawnattr_setsigmask(&attributes, &set)
        sigfillset(&set)
        posix_spawnattr_setsigdefault(&attributes, &set)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        for (index, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, STDERR_FILENO + 1 + CInt(index))
        }
        if getenv("JOURNAL_STREAM") == nil {
            let path = "\(logFolder)/\(name).log"
            var status = stat()
            let isTooLarge = stat(path, &status) == 0 && status.st_size > Self.maximumLogByteCount
            let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | (isTooLarge ? O_TRUNC : O_APPEND)
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, path, flags, 0o600)
            posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = Self.environment(variables).map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        return state.withLock { state in
            if state.signals == nil {
                state.signals = SignalSource(SIGCHLD, queue: queue) { [weak self] in self?.reap() }
            }
            var process: pid_t = 0
            let code = posix_spawn(&process, command[0], &actions, &attributes, &arguments, &environment)
            guard code == 0 else {
                errno = code
                return nil
            }
            state.children[process] = onEnd
            return process
        }
    }

    /// The agent's environment without what systemd gave to the agent alone.
    private static func environment(_ variables: [String]) -> [String] {
        let own = [
            "LISTEN_", "NOTIFY_SOCKET=", "WATCHDOG_", "EARSHOT_APP_ID=", "EARSHOT_LAUNCHED_BY=",
            "EARSHOT_NOTIFICATION_", "EARSHOT_PROVIDER_", "INVOCATION_ID=", "MAINPID=",
        ]
        var texts: [String] = []
        var next = environ
        while let text = next.pointee {
            texts.append(String(cString: text))
            next += 1
        }
        return texts.filter { text in !own.contains { text.hasPrefix($0) } } + variables
    }

    private func reap() {
        let ended = state.withLock { state in
            var ended: [(@Sendable (CInt) -> Void, CInt)] = []
            for (process, onEnd) in state.children {
                var status: CInt = 0
                guard waitpid(process, &status, WNOHANG) == process else { continue }
                state.children[process] = nil
                ended.append((onEnd, status))
            }
            return ended
        }
        for (onEnd, status) in ended { onEnd(status) }
    }
}

extension String {
    /// A variable of the environment ends with the first zero, and a message may have one. 2,000 is more than a notification
    /// shows.
    fileprivate var withoutZeros: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { $0.value != 0 }.prefix(2_000)))
    }
}

/// Calls a closure at each signal. Unchecked, because libdispatch's sources are not declared Sendable.
final class SignalSource: @unchecked Sendable {
    private let source: any DispatchSourceSignal

    init(_ number: CInt, queue: DispatchQueue, _ onSignal: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: onSignal)
        source.activate()
    }

    deinit { source.cancel() }
}
