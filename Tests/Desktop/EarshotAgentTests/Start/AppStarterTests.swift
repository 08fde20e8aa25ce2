import Foundation
import Glibc
import MessagesTestSupport
import TestSupport
import Testing

@testable import EarshotAgent

@Suite(.apart) struct AppStarterTests {
    private func output(_ starter: AppStarter, _ script: String, because reason: AppStarter.Reason, in folder: String)
        async throws -> [String]
    {
        let (ends, end) = AsyncStream.makeStream(of: CInt?.self)
        starter.start(["/bin/sh", "-c", script], name: "app", app: "app", because: reason) { _ in
        } onEnd: { status in
            end.yield(status)
        }
        for await status in ends {
            #expect(status == 0)
            break
        }
        return try String(contentsOfFile: "\(folder)/app.log", encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// An app does not inherit the variables that systemd or a desktop gave to the agent.
    @Test func withoutSystemdAnAppHasACleanEnvironment() async throws {
        let scratch = try ScratchFolder()
        let stale = [
            "NOTIFY_SOCKET", "LISTEN_FDS", "INVOCATION_ID", "MANAGERPID", "SYSTEMD_EXEC_PID", "XDG_ACTIVATION_TOKEN",
            "DESKTOP_STARTUP_ID", "EARSHOT_NOTIFICATION_ID", "EARSHOT_LAUNCHED_BY",
        ]
        for name in stale { setenv(name, "stale", 1) }
        defer { for name in stale { unsetenv(name) } }
        setenv("EARSHOT_TEST_KEPT", "kept", 1)
        defer { unsetenv("EARSHOT_TEST_KEPT") }
        let starter = AppStarter(logFolder: scratch.path)
        let lines = try await output(starter, "env", because: .call, in: scratch.path)
        #expect(!lines.contains { $0.hasSuffix("=stale") }, "\(lines)")
        for line in ["EARSHOT_TEST_KEPT=kept", "EARSHOT_APP_ID=app", "EARSHOT_LAUNCHED_BY=call"] {
            #expect(lines.contains(line), "\(lines)")
        }
    }

    /// Texts of a notification come from strangers.
    @Test func aClickIsInTheEnvironment() async throws {
        let scratch = try ScratchFolder()
        let click = AppStarter.Click(
            identifier: "t/ann/1", title: "A\u{0}nn\u{1B}", body: "dinner", activationToken: "token")
        let lines = try await output(
            AppStarter(logFolder: scratch.path), "env", because: .click(click), in: scratch.path)
        for line in [
            "EARSHOT_LAUNCHED_BY=click", "EARSHOT_NOTIFICATION_ID=t/ann/1", "EARSHOT_NOTIFICATION_TITLE=Ann",
            "EARSHOT_NOTIFICATION_BODY=dinner", "XDG_ACTIVATION_TOKEN=token", "DESKTOP_STARTUP_ID=token",
        ] {
            #expect(lines.contains(line), "\(lines)")
        }
    }

    @Test func aProgramThatIsMissingIsSaid() async throws {
        let scratch = try ScratchFolder()
        let (outcomes, outcome) = AsyncStream.makeStream(of: String.self)
        let starter = AppStarter(logFolder: scratch.path)
        starter.start(["/none"], name: "app", app: "app", because: .found) {
            if case .failed(let sentence) = $0 { outcome.yield(sentence) }
        } onEnd: { _ in
        }
        #expect(await outcomes.first { _ in true } == "cannot start /none: no such file or directory")
    }
}
