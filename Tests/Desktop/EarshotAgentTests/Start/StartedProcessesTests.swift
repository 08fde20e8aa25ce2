import Foundation
import Glibc
import MessagesTestSupport
import TestSupport
import Testing

@testable import EarshotAgent

@Suite(.apart) struct StartedProcessesTests {
    /// Any agent finds the process of an app. The app's child processes do not count as the app.
    @Test func anAppIsFoundWhileItLives() async throws {
        let scratch = try ScratchFolder()
        let starter = AppStarter(logFolder: scratch.path)
        let app = "org.example.\(UUID().uuidString)"
        #expect(StartedProcesses.of(app).isEmpty)
        let (starts, start) = AsyncStream.makeStream(of: pid_t.self)
        let (ends, end) = AsyncStream.makeStream(of: CInt?.self)
        starter.start(["/bin/sh", "-c", "sleep 1000 & echo begun; wait"], name: "app", app: app, because: .call) {
            if case .started(let process?) = $0 { start.yield(process) }
        } onEnd: { status in
            end.yield(status)
        }
        let process = try #require(await starts.first { _ in true })
        let log = "\(scratch.path)/app.log"
        #expect(await eventually { (try? String(contentsOfFile: log, encoding: .utf8)) == "begun\n" })
        #expect(StartedProcesses.of(app) == [process])
        #expect(StartedProcesses.of(String(app.dropLast())).isEmpty)
        kill(-process, SIGKILL)
        for await _ in ends { break }
        #expect(StartedProcesses.of(app).isEmpty)
    }
}
