import CProcess
import Dispatch
import Glibc
import NearbyWire
import Synchronization

/// Starts apps as separate processes, and reports their ends.
///
/// The launcher starts them in the user's session. Without a launcher an app is a child of the agent in a session of
/// its own, with the agent's environment except the variables for the agent alone. An app's output goes to the journal
/// if the agent's does, and otherwise to a log file.
final class AppStarter: Sendable {
    /// A log file above this size is emptied.
    private static let maximumLogByteCount = 1 << 20

    /// The reason for a start. The app's environment has it: `EARSHOT_LAUNCHED_BY` is `found`, `call` or `click`.
    enum Reason: Sendable {
        case found
        /// A provider has reported a call.
        case call
        /// The user clicked a notification.
        case click(Click)

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
            case .click(let click):
                [
                    "EARSHOT_LAUNCHED_BY=click", "EARSHOT_NOTIFICATION_ID=\(click.identifier.withoutControls)",
                    "EARSHOT_NOTIFICATION_TITLE=\(click.title.withoutControls)",
                    "EARSHOT_NOTIFICATION_BODY=\(click.body.withoutControls)",
                ]
                    // With it, Wayland's compositors and X11's window managers let the app's window come to the front.
                    + (click.activationToken.map { token in
                        AppStarter.activationVariables.map { "\($0)=\(token.withoutControls)" }
                    } ?? [])
            }
        }
    }

    /// A click on a notification.
    struct Click: Sendable {
        /// The identifier of the notification, as given by the app or its provider.
        var identifier: String
        var title: String
        var body: String
        /// The desktop's token, so that the app may take the focus; nil if the desktop gives none.
        var activationToken: String?
    }

    /// The outcome of a start.
    enum Outcome: Sendable {
        /// The process; nil if it has ended already. `AppStarter` reports its end in both cases.
        case started(pid_t?)
        /// A sentence.
        case failed(String)
    }

    /// The end of a process in words.
    /// - Parameter status: the status of `waitpid`; nil if unknown.
    static func ending(_ status: CInt?) -> String {
        guard let status else { return "ended" }
        return status & 0x7F == 0
            ? "ended with status \(status >> 8 & 0xFF)" : "was ended by signal \(status & 0x7F)"
    }

    private struct State {
        var children: [pid_t: @Sendable (CInt) -> Void] = [:]
        var signals: SignalSource?
        /// The processes that the launcher has started, each with the descriptor that reports its end.
        var launched: [pid_t: ReadSource] = [:]
    }

    private static let activationVariables = ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"]

    private let logFolder: String
    private let launcher: (any AppLaunching)?
    private let queue = DispatchQueue(label: "earshot.agent.apps")
    private let state = Mutex(State())

    /// - Parameters:
    ///   - logFolder: the folder of the log files; it must exist.
    ///   - launcher: starts apps in the user's session; nil for none.
    init(logFolder: String, launcher: (any AppLaunching)? = nil) {
        self.logFolder = logFolder
        self.launcher = launcher
    }

    /// Starts an app.
    /// - Parameters:
    ///   - command: an absolute path and arguments.
    ///   - name: the app's identifier as a file name.
    ///   - app: the app, which its environment names as `EARSHOT_APP_ID`.
    ///   - reason: the reason, for its environment.
    ///   - onStart: receives the outcome, once.
    ///   - onEnd: called when the process ends, after `onStart`, with the status of `waitpid`; nil if unknown.
    func start(
        _ command: [String], name: String, app: String, because reason: Reason,
        onStart: @escaping @Sendable (Outcome) -> Void, onEnd: @escaping @Sendable (CInt?) -> Void
    ) {
        let variables = ["EARSHOT_APP_ID=\(app)"] + reason.environment
        guard let launcher else { return startHere(command, name: name, variables: variables, onStart, onEnd) }
        let launch = AppLaunch(
            app: app, command: command, variables: Self.passedOn + variables, logPath: logPath(name))
        Task {
            switch await launcher.launch(launch) {
            case .unavailable: startHere(command, name: name, variables: variables, onStart, onEnd)
            case .failed(let sentence): onStart(.failed(sentence))
            case .started(let process):
                onStart(.started(process))
                if let process { follow(process, onEnd) } else { onEnd(nil) }
            }
        }
    }

    private func startHere(
        _ command: [String], name: String, variables: [String], _ onStart: @escaping @Sendable (Outcome) -> Void,
        _ onEnd: @escaping @Sendable (CInt?) -> Void
    ) {
        let process = spawn(
            command, name: name, variables: variables, onSpawn: { onStart(.started($0)) }, onEnd: { onEnd($0) })
        if process == nil {
            onStart(
                .failed("cannot start \(command[0]): \(String(cString: strerror(errno)).lowercased())"))
        }
    }

    /// Calls a closure when a process ends that is not a child of the agent.
    private func follow(_ process: pid_t, _ onEnd: @escaping @Sendable (CInt?) -> Void) {
        let descriptor = earshot_pidfd_open(process)
        guard descriptor >= 0 else { return onEnd(nil) }
        let source = ReadSource(
            descriptor, queue: queue,
            onReadable: { [weak self] in
                guard let source = self?.state.withLock({ $0.launched.removeValue(forKey: process) }) else { return }
                source.cancel()
                onEnd(nil)
            }, onEnd: { close(descriptor) })
        state.withLock { $0.launched[process] = source }
    }

    /// The file for an app's output, emptied if it is large; nil if systemd writes the output to the journal.
    private func logPath(_ name: String) -> String? {
        guard getenv("JOURNAL_STREAM") == nil else { return nil }
        let path = "\(logFolder)/\(name).log"
        var status = stat()
        if stat(path, &status) == 0, status.st_size > Self.maximumLogByteCount { truncate(path, 0) }
        return path
    }

    /// Starts a program in a session and a process group of its own.
    /// - Parameters:
    ///   - variables: added to the agent's environment.
    ///   - descriptors: the process gets them as 3, 4 and so on. They must be above these numbers.
    ///   - onSpawn: called with the process before its end can be reported.
    func spawn(
        _ command: [String], name: String, variables: [String], descriptors: [CInt] = [],
        onSpawn: @Sendable (pid_t) -> Void = { _ in }, onEnd: @escaping @Sendable (CInt) -> Void
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
        if let path = logPath(name) {
            let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_APPEND
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
            onSpawn(process)
            return process
        }
    }

    /// The agent's environment without the variables that systemd, a desktop or an earlier agent set for the agent
    /// alone.
    private static func environment(_ variables: [String]) -> [String] {
        let own =
            [
                "LISTEN_", "NOTIFY_SOCKET=", "WATCHDOG_", "INVOCATION_ID=", "MAINPID=", "MANAGERPID=",
                "SYSTEMD_EXEC_PID=",
            ] + ownVariables + activationVariables.map { "\($0)=" }
        return inherited.filter { text in !own.contains { text.hasPrefix($0) } } + variables
    }

    private static let ownVariables = [
        "EARSHOT_APP_ID=", "EARSHOT_LAUNCHED_BY=", "EARSHOT_NOTIFICATION_", "EARSHOT_PROVIDER_",
    ]

    /// The agent's variables that an app in the session's environment needs: for the agent, the service and the
    /// folders.
    private static var passedOn: [String] {
        let folders = ["XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_STATE_HOME=", "XDG_CACHE_HOME="]
        return inherited.filter { text in
            (text.hasPrefix("EARSHOT_") || folders.contains { text.hasPrefix($0) })
                && !ownVariables.contains { text.hasPrefix($0) }
        }
    }

    private static var inherited: [String] {
        var texts: [String] = []
        var next = environ
        while let text = next.pointee {
            texts.append(String(cString: text))
            next += 1
        }
        return texts
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
    /// The text without the characters that systemd does not allow in an environment variable. 2,000 is more than a
    /// notification shows.
    fileprivate var withoutControls: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" || $0 == "\n" }
                    .prefix(2_000)))
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
