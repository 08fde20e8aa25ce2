import Foundation

/// A program that runs beside the test, with its output in files and a time limit for each wait.
///
/// A program that Foundation's `Process` starts inherits the blocked signals of the test's thread, but a recording must
/// receive the signal that ends it. Only one thread at a time may use it.
package final class Program: @unchecked Sendable {
    /// Steps that `posix_spawn` has no portable call for: change the folder, and close the descriptors of other tests,
    /// which may wait until every process has closed them.
    private static let prelude = """
        cd "$0" && for path in /proc/$$/fd/*; do
            number=${path##*/}
            ((number <= 2)) || eval "exec $number>&-"
        done
        exec "$@"
        """

    private let id: pid_t
    private let command: String
    private let outputURL: URL
    private let errorURL: URL
    private var waitStatus: Int32?

    /// Starts the program; PATH is searched for a `name` without a slash.
    package init(_ name: String, _ arguments: [String], environment: [String: String], in scratch: Scratch) throws {
        command = ([name] + arguments).joined(separator: " ")
        let token = UUID().uuidString
        outputURL = scratch.hidden.appendingPathComponent("\(token).out")
        errorURL = scratch.hidden.appendingPathComponent("\(token).err")

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (descriptor, url) in [(Int32(1), outputURL), (2, errorURL)] {
            posix_spawn_file_actions_addopen(&actions, descriptor, url.path, O_WRONLY | O_CREAT, 0o600)
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        let words = (["bash", "-c", Self.prelude, scratch.url.path, name] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var started: pid_t = 0
        let problem = posix_spawnp(&started, "bash", &actions, &attributes, words, variables)
        guard problem == 0 else {
            throw SoundCard.Trouble(description: "bash does not start: \(String(cString: strerror(problem)))")
        }
        id = started
        ProgramGuard.add(id)
    }

    deinit {
        kill()
    }

    /// The exit code, or the negative number of the signal that ended the program; nil while it runs.
    package var status: Int32? {
        if waitStatus == nil {
            var value: Int32 = 0
            if waitpid(id, &value, WNOHANG) == id {
                waitStatus = value
                ProgramGuard.remove(id)
            }
        }
        // The same as the macros WIFEXITED, WEXITSTATUS and WTERMSIG.
        return waitStatus.map { $0 & 0x7F == 0 ? $0 >> 8 & 0xFF : -($0 & 0x7F) }
    }

    package var processIdentifier: Int32 { id }
    package var isRunning: Bool { status == nil }
    package var output: String { (try? String(contentsOf: outputURL, encoding: .utf8)) ?? "" }
    package var error: String { (try? String(contentsOf: errorURL, encoding: .utf8)) ?? "" }

    /// The command, its exit status if it has ended, and its standard error.
    package var account: String {
        // The status of a shell for a program that does not exist.
        let advice = status == 127 ? " 'make test' installs what is missing." : ""
        return "'\(command)' \(status.map { "left with \($0)" } ?? "is running"). \(error)\(advice)"
    }

    package func interrupt() {
        signal(SIGINT)
    }

    /// Sends a signal to the program.
    package func signal(_ number: Int32) {
        if isRunning { Foundation.kill(id, number) }
    }

    /// A field of /proc/…/status in kB, such as "VmRSS".
    package func memory(_ field: String) -> Int? {
        let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix(field + ":") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
    }

    /// Waits until the output satisfies `condition`.
    package func waitForOutput(within seconds: Double, _ condition: (String) -> Bool) -> Bool {
        let deadline = Date() + seconds
        while !condition(output) {
            if Date() > deadline { return false }
            usleep(20_000)
        }
        return true
    }

    /// Waits until standard error satisfies `condition`.
    package func waitForError(within seconds: Double, _ condition: (String) -> Bool) -> Bool {
        let deadline = Date() + seconds
        while !condition(error) {
            if Date() > deadline { return false }
            usleep(20_000)
        }
        return true
    }

    /// Ends the program in any case.
    package func kill() {
        guard isRunning else { return }
        Foundation.kill(id, SIGKILL)
        _ = waitForEnd(within: 5)
    }

    /// Waits some seconds at most for the end. Returns whether the program has ended.
    package func waitForEnd(within seconds: Double) -> Bool {
        let deadline = Date() + seconds
        while isRunning {
            if Date() > deadline { return false }
            usleep(5_000)
        }
        return true
    }

    /// Waits for the end, which must be successful.
    package func finish(within seconds: Double) throws {
        guard waitForEnd(within: seconds) else {
            throw SoundCard.Trouble(description: "Not over after \(seconds) s: \(account)")
        }
        guard status == 0 else { throw SoundCard.Trouble(description: account) }
    }
}
