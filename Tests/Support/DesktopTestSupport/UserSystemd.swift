package import EarshotDBus
import Foundation
import Glibc
import TestSupport

/// The systemd of a user and the session bus that it starts.
///
/// It has a control group and an empty /run of its own. Otherwise it would move other processes of the machine, and
/// programs here would think that systemd has started the machine.
package final class UserSystemd: @unchecked Sendable {
    private static let program = "/lib/systemd/systemd"
    /// A process cannot leave its control group and stay the root of it, so a second one stays outside, and tidies up at the end.
    private static let script = """
        base=/sys/fs/cgroup
        [ -e $base/cgroup.controllers ] || base=$base/unified
        own=$(sed -n 's/^0:://p' /proc/self/cgroup)
        group=$base/earshot-test-$$
        mkdir "$group" && echo $$ >"$group/cgroup.procs" || exit 69
        trap 'kill -TERM $child' TERM
        unshare --mount --cgroup bash -c '
            set -e
            mount --make-rprivate /
            mount -t cgroup2 none /sys/fs/cgroup
            grep -qx 0::/ /proc/self/cgroup
            (($(grep -c . /sys/fs/cgroup/cgroup.procs) < 6))
            mount -t tmpfs none /run
            mkdir -p /run/systemd/system
            exec \(program) --user' &
        child=$!
        echo $$ >"$base$own/cgroup.procs"
        until wait $child || ! kill -0 $child 2>/dev/null; do :; done
        until find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || [ ! -e "$group" ]; do sleep 0.1; done
        """

    private let scratch: Scratch
    private let process: Program
    private let connection: DBusConnection

    /// The session bus.
    package let bus: DBusBus

    /// The reason why it cannot run here; nil if it can.
    package static let missing: String? = {
        if let missing = Desktop.missing(["dbus-daemon", "unshare"]) { return missing }
        guard access(program, X_OK) == 0, access("/usr/lib/systemd/user/dbus.socket", R_OK) == 0 else {
            return "there is no systemd for users (systemd, dbus-user-session)"
        }
        guard getuid() == 0 else { return "only root has a file system of its own" }
        let base = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first { access("\($0)/cgroup.controllers", R_OK) == 0 }
        guard let base else { return "there are no control groups of version 2" }
        let path = "\(base)/earshot-look-\(getpid())"
        guard mkdir(path, 0o755) == 0, rmdir(path) == 0 else { return "the control groups are read-only here" }
        return nil
    }()

    /// Starts it, and waits until it is on its bus.
    package init() async throws {
        scratch = try Scratch()
        let folder = scratch.path("runtime")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        bus = .address("unix:path=\(folder)/bus")
        process = try Program(
            "bash", ["-c", Self.script],
            environment: ["PATH": Desktop.searchPath, "HOME": scratch.url.path, "XDG_RUNTIME_DIR": folder],
            in: scratch)
        let end = ContinuousClock.now + .seconds(60)
        while access("\(folder)/bus", F_OK) != 0, ContinuousClock.now < end, process.isRunning {
            try await Task.sleep(for: .milliseconds(50))
        }
        connection = DBusConnection(bus)
        while ContinuousClock.now < end, process.isRunning {
            let answer = try? await connection.call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner",
                [.string("org.freedesktop.systemd1")])
            if answer?.first?.boolean == true { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw SoundCard.Trouble(description: "systemd does not come to its bus: \(process.account)")
    }

    /// Does what a desktop does at its start.
    package func setEnvironment(_ variables: [String]) async throws {
        _ = try await connection.call(
            "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager",
            "SetEnvironment", [.array(of: "s", variables.map { .string($0) })])
    }

    deinit {
        connection.close()
        // On this signal systemd ends its units.
        process.signal(SIGTERM)
        if !process.waitForEnd(within: 30) { process.kill() }
    }
}
