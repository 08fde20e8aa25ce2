import Glibc

/// Starts the agent if there is no systemd to start it.
package enum AgentStart {
    private static let programName = "earshot-agent"

    /// The agent's program: `EARSHOT_AGENT`, or `earshot-agent` beside this program or in `PATH`; nil if there is none.
    package static var program: String? {
        if let path = environment("EARSHOT_AGENT") { return path.hasPrefix("/") ? path : nil }
        let folders = (environment("PATH") ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        return ([ProgramFolder.system].compactMap(\.self) + folders).map { "\($0)/\(programName)" }
            .first { access($0, X_OK) == 0 }
    }

    /// Starts the agent in its own session, so that it outlives the terminal. It ends when it has no operations.
    /// - Returns: whether it was started. It may still fail, or find that another agent runs.
    package static func run(_ program: String) -> Bool {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Swift does not import the macro.
        let newSession: Int16 = 0x80
        posix_spawnattr_setflags(&attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK))
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] =
            [program, "run", "--end-when-idle"].map { (text: String) in strdup(text) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        return posix_spawn(&process, program, &actions, &attributes, &arguments, environ) == 0
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
