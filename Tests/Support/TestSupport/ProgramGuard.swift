import Foundation

/// Kills the programs that this process started and that still run after its end, even a sudden end: a killed test run
/// leaves no bus and no sound server.
///
/// A shell reads the programs' numbers from a socket. This process holds the other end until it ends.
enum ProgramGuard {
    private static let script = """
        trap '' INT TERM HUP
        for path in /proc/$$/fd/*; do
            descriptor=${path##*/}
            ((descriptor <= 2)) || eval "exec $descriptor>&-"
        done
        declare -A running
        while read -r change number; do
            if [[ $change == + ]]; then running[$number]=1; else unset "running[$number]"; fi
        done
        for number in "${!running[@]}"; do kill -KILL "$number" 2>/dev/null; done
        """

    /// This process's end; negative if the shell does not start.
    private static let socket: Int32 = start()

    static func add(_ process: pid_t) { tell("+ \(process)\n") }
    static func remove(_ process: pid_t) { tell("- \(process)\n") }

    private static func tell(_ line: String) {
        // A line this short is sent as a whole.
        _ = send(socket, line, line.utf8.count, Int32(MSG_NOSIGNAL))
    }

    private static func start() -> Int32 {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            return -1
        }
        defer { close(pair[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pair[1], 0)
        // A reader of the tests' output must not wait for the shell.
        for descriptor in [Int32(1), 2] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        let words = (["bash", "-c", script] as [String]).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        guard posix_spawnp(&process, "bash", &actions, nil, words, environ) == 0 else {
            close(pair[0])
            return -1
        }
        return pair[0]
    }
}
