import DesktopTestSupport
import EarshotDBus
import Foundation
import Glibc
import MessagesTestSupport
import NearbyWire
import Synchronization
import TestSupport
import Testing

@testable import EarshotAgent
@testable import earshot_agent

/// Apps as units of a real user systemd.
@Suite(
    .apart, .serialized, .enabled(if: UserSystemd.missing == nil, Comment(rawValue: UserSystemd.missing ?? "")))
struct SystemdLauncherTests {
    private let scratch: ScratchFolder
    private let file: String

    init() throws {
        scratch = try ScratchFolder()
        file = "\(scratch.path)/app.txt"
    }

    private func launch(_ script: String, app: String = "org.example.app") -> AppLaunch {
        AppLaunch(
            app: app, command: ["/bin/sh", "-c", script, "$HOME"],
            variables: ["EARSHOT_APP_ID=\(app)", "TEXT=a b\n%n"],
            logPath: "\(scratch.path)/app.log")
    }

    private var written: String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }

    @Test func anAppIsAUnitWithTheEnvironmentOfTheSession() async throws {
        let systemd = try await UserSystemd()
        let launcher = SystemdLauncher(bus: systemd.bus)
        // The desktop starts after the agent.
        try await systemd.setEnvironment(["DISPLAY=:77", "WAYLAND_DISPLAY=wayland-7"])
        let script = """
            { env; echo "zero $0"; cat /proc/self/cgroup; } > \(file).new; mv \(file).new \(file)
            echo out; echo err >&2; exec sleep 600
            """
        let outcome = await launcher.launch(launch(script))
        guard case .started(let process?) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(await eventually { !written.isEmpty })
        let lines = written.split(separator: "\n").map(String.init)
        for line in [
            "DISPLAY=:77", "WAYLAND_DISPLAY=wayland-7", "EARSHOT_APP_ID=org.example.app", "TEXT=a b", "%n",
            "zero $HOME",
        ] {
            #expect(lines.contains(line), "\(line) in \(lines)")
        }
        #expect(lines.contains { $0.hasSuffix("/app.slice/app-earshot-org.example.app.service") }, "\(lines)")
        #expect(
            await eventually {
                (try? String(contentsOfFile: "\(scratch.path)/app.log", encoding: .utf8)) == "out\nerr\n"
            })
        // The app is not a child of this process, and systemd starts no second one.
        #expect(waitpid(process, nil, WNOHANG) == -1)
        #expect(await launcher.launch(launch("exit 1")) == .started(process: process))
        kill(process, SIGKILL)
        #expect(
            await eventually {
                guard case .started(let next?) = await launcher.launch(launch("exec sleep 600")) else { return false }
                defer { kill(next, SIGKILL) }
                return next != process
            })
        withExtendedLifetime(systemd) {}
    }

    @Test func whatCannotRunIsSaid() async throws {
        let bus = try SessionBus()
        #expect(
            await SystemdLauncher(bus: bus.bus).launch(launch("exit 0")) == .unavailable, "no systemd on the bus")
        bus.kill()
        #expect(await SystemdLauncher(bus: bus.bus).launch(launch("exit 0")) == .unavailable, "no bus")
        let systemd = try await UserSystemd()
        let launcher = SystemdLauncher(bus: systemd.bus)
        var missing = launch("")
        missing.command = ["/none", "x"]
        #expect(await launcher.launch(missing) == .failed("/none cannot be run, or has failed at once"))
        // For an app that fails at once, the launch fails or the app has ended. Its name is then free.
        for _ in 0..<2 {
            let outcome = await launcher.launch(launch("exit 3"))
            guard outcome != .failed("/bin/sh cannot be run, or has failed at once") else { continue }
            #expect(await eventually { await launcher.launch(launch("exec sleep 600")) != outcome })
            return
        }
        guard case .started(_?) = await launcher.launch(launch("exec sleep 600")) else {
            Issue.record("the name of the unit is not free")
            return
        }
        withExtendedLifetime(systemd) {}
    }

    @Test(arguments: [
        ("org.example.app", "app-earshot-org.example.app.service"),
        ("a b-c/ü", #"app-earshot-a\x20b\x2dc\x2f\xc3\xbc.service"#),
    ])
    func aUnitHasTheNameOfItsApp(app: String, unit: String) { #expect(SystemdLauncher.unitName(app) == unit) }

    /// The agent notices the end of a process that is not its child, and can then start the app again.
    @Test func theStarterHearsTheEnd() async throws {
        let (bus, systemd) = (try SessionBus(), try await UserSystemd())
        let starter = AppStarter(logFolder: scratch.path, launcher: SystemdLauncher(bus: systemd.bus))
        let events = Lines()
        let process = Mutex<pid_t?>(nil)
        starter.start(["/bin/sh", "-c", "exec sleep 600"], name: "app", app: "app", because: .call) { outcome in
            if case .started(let number) = outcome { process.withLock { $0 = number } }
            events.add("started")
        } onEnd: { status in
            events.add("ended \(status.map { "\($0)" } ?? "")")
        }
        #expect(await eventually { events.all == ["started"] })
        let noted = process.withLock(\.self)
        let number = try #require(noted)
        await aWhile()
        #expect(events.all == ["started"] && StartedProcesses.of("app").contains(number))
        kill(number, SIGTERM)
        #expect(await eventually { events.all == ["started", "ended "] })
        // Without systemd the app is a child of this process.
        let other = AppStarter(logFolder: scratch.path, launcher: SystemdLauncher(bus: bus.bus))
        other.start(["/bin/sh", "-c", "exit 3"], name: "app", app: "app", because: .call) { _ in
            events.add("started")
        } onEnd: { status in
            events.add(AppStarter.ending(status))
        }
        #expect(await eventually { events.all.suffix(2) == ["started", "ended with status 3"] })
        withExtendedLifetime(systemd) {}
    }
}
