import Foundation
import Glibc

/// A terminal of the user's desktop: SimplePush has no window of its own.
enum DesktopTerminal {
    private static let names = ["xdg-terminal-exec", "x-terminal-emulator"]

    /// Opens a terminal with a command of this program, and leaves a shell's prompt for the answer. Without a desktop or a terminal
    /// it does nothing.
    static func open(_ arguments: [String]) {
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
        let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        let candidates = names.flatMap { name in folders.map { "\($0)/\(name)" } }
        guard let terminal = candidates.first(where: { access($0, X_OK) == 0 }),
            let program = Bundle.main.executablePath
        else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: terminal)
        // The user's name is passed as an argument, never in a text that the shell reads.
        let script = #""$@"; exec "${SHELL:-/bin/sh}""#
        process.arguments =
            (terminal.hasSuffix("x-terminal-emulator") ? ["-e"] : []) + ["/bin/sh", "-c", script, "sh", program]
            + arguments
        try? process.run()
    }
}
