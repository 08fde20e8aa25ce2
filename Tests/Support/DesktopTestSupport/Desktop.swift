import EarshotDBus
import Foundation
import TestSupport

/// A screen without a monitor, a session bus, and dunst, a notification service that people use. Only one thread at a time may
/// use it.
package final class Desktop: @unchecked Sendable {
    package let session: SessionBus
    private let screen: Program
    private let display: String
    private var service: Program?

    package static let searchPath = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"

    /// The programs that are missing here, with advice; nil if none are.
    package static let missing = missing([
        "dbus-daemon", "Xvfb", "dunst", "dunstctl", "dbus-send", "xdotool", "import",
    ])

    static func missing(_ names: [String]) -> String? {
        let folders = searchPath.split(separator: ":")
        let missing = names.filter { name in
            !folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
        }
        return missing.isEmpty ? nil : "missing here: \(missing.joined(separator: ", ")); 'make test' installs them"
    }

    /// A desktop whose service runs.
    package init() async throws {
        session = try SessionBus()
        let configuration = """
            [global]
            origin = top-left
            offset = 20x20
            width = 400
            font = DejaVu Sans 12
            markup = full
            show_age_threshold = -1
            idle_threshold = 0
            mouse_left_click = do_action, close_current
            dmenu = \(session.scratch.path("menu"))
            """
        try session.scratch.save(Data(configuration.utf8), "dunstrc")
        screen = try Program(
            "Xvfb", ["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"],
            environment: ["PATH": Self.searchPath], in: session.scratch)
        guard screen.waitForOutput(within: 60, { $0.contains("\n") }) else {
            throw SoundCard.Trouble(description: "There is no screen: \(screen.account)")
        }
        display = ":" + screen.output.trimmingCharacters(in: .whitespacesAndNewlines)
        try await startService()
    }

    deinit {
        service?.kill()
        screen.kill()
    }

    /// Starts dunst, and waits until it answers with its name.
    package func startService() async throws {
        let program = try start("dunst", ["-config", session.scratch.path("dunstrc")])
        service = program
        let bus = DBusConnection(session.bus)
        defer { bus.close() }
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            let answer = try? await bus.call(
                "org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.freedesktop.Notifications",
                "GetServerInformation")
            if answer?.first?.text == "dunst" { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw SoundCard.Trouble(description: "dunst does not answer: \(program.account)")
    }

    package func killService() { service?.kill() }

    /// Stops the service, or lets it continue: a stopped one accepts calls and answers none.
    package func setServiceStopped(_ isStopped: Bool) { service?.signal(isStopped ? SIGSTOP : SIGCONT) }

    /// The number of notifications on the screen.
    package func displayedCount() throws -> Int {
        Int(try run("dunstctl", ["count", "displayed"]).split(separator: " ").last.map(String.init) ?? "") ?? -1
    }

    /// The texts and numbers of all notifications that were closed, as JSON.
    package func history() throws -> String { try run("dunstctl", ["history"]) }

    package func control(_ command: String...) throws { _ = try run("dunstctl", command) }

    /// Clicks the top notification with the mouse.
    package func click() throws {
        _ = try run("xdotool", ["mousemove", "120", "40", "click", "1"])
    }

    /// Chooses an action of the notifications on the screen by its title, in the menu that dunst opens for them.
    package func choose(_ title: String) throws {
        let menu = "#!/bin/sh\nexec grep -m 1 -F '\(title)'\n"
        try session.scratch.save(Data(menu.utf8), "menu")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: session.scratch.path("menu"))
        try control("context")
    }

    /// Takes a picture of the screen.
    package func photograph(to path: String) throws { _ = try run("import", ["-window", "root", path]) }

    private func run(_ name: String, _ arguments: [String]) throws -> String {
        let program = try start(name, arguments)
        try program.finish(within: 60)
        return program.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func start(_ name: String, _ arguments: [String]) throws -> Program {
        try Program(
            name, arguments,
            environment: [
                "PATH": Self.searchPath, "DISPLAY": display, "DBUS_SESSION_BUS_ADDRESS": session.address,
                "HOME": session.scratch.url.path,
            ], in: session.scratch)
    }
}
