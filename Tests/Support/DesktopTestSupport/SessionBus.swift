package import EarshotDBus
import Foundation
package import TestSupport

/// A session bus of the test's own, without any service. Only one thread at a time may use it.
package final class SessionBus: @unchecked Sendable {
    package let scratch: Scratch
    package let address: String
    private var daemon: Program

    /// The address of the bus for its clients.
    package var bus: DBusBus { .address(address) }

    /// The missing programs, with advice; nil if none is missing.
    package static let missing = Desktop.missing(["dbus-daemon"])

    package init() throws {
        scratch = try Scratch()
        address = "unix:path=\(scratch.path("bus"))"
        let configuration = """
            <busconfig>
              <type>session</type>
              <listen>\(address)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*"/> <allow receive_sender="*"/> <allow own="*"/>
              </policy>
            </busconfig>
            """
        try scratch.save(Data(configuration.utf8), "bus.conf")
        daemon = try Self.start(scratch)
    }

    private static func start(_ scratch: Scratch) throws -> Program {
        let daemon = try Program(
            "dbus-daemon", ["--config-file=\(scratch.path("bus.conf"))", "--nofork", "--print-address=1"],
            environment: ["PATH": Desktop.searchPath], in: scratch)
        guard daemon.waitForOutput(within: 60, { $0.contains("\n") }) else {
            throw SoundCard.Trouble(description: "There is no bus: \(daemon.account)")
        }
        return daemon
    }

    deinit { daemon.kill() }

    package func connect() -> DBusConnection { DBusConnection(bus) }

    /// Ends the bus without warning.
    package func kill() { daemon.kill() }

    /// Starts the bus again, at the same address, after `kill`.
    package func restart() throws {
        try? FileManager.default.removeItem(atPath: scratch.path("bus"))
        daemon = try Self.start(scratch)
    }

    /// Stops the bus, or lets it continue.
    package func setStopped(_ isStopped: Bool) { daemon.signal(isStopped ? SIGSTOP : SIGCONT) }
}
