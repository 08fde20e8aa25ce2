import EarshotDiscovery
import EarshotMessages
import Foundation

/// An app that subscribes in the background, and appends a line to a file for each event: `found TEXT`, `lost TEXT`.
///
///     background-app FILE [crash]
///
/// With `crash` it ends as soon as it has begun. EARSHOT_AGENT_SOCKET names the agent, EARSHOT_APP_ID the app.
@main
enum BackgroundApp {
    static func main() async throws {
        let file = CommandLine.arguments[1]
        write("began", to: file)
        if CommandLine.arguments.dropFirst(2).contains("crash") { exit(3) }
        var configuration = MessageManager.Configuration.system(media: { _ in [] })
        configuration.permission = AlwaysGranted()
        configuration.agent = .system
        var strategy = DiscoveryStrategy()
        strategy.isAllowedInBackground = true
        let manager = MessageManager(key: "key", configuration: configuration)
        let subscription = try manager.subscribe(strategy: strategy)
        Task {
            for await status in subscription.statuses { write("status \(status)", to: file) }
        }
        Task {
            for await problem in manager.problems { write("problem \(problem.kind) \(problem.detail)", to: file) }
        }
        for await event in subscription {
            switch event {
            case .found(let received): write("found \(text(received))", to: file)
            case .lost(let received): write("lost \(text(received))", to: file)
            }
        }
    }

    private static func text(_ received: ReceivedMessage) -> String {
        String(decoding: received.message.content, as: UTF8.self)
    }

    private static func write(_ line: String, to file: String) {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let bytes = Array("\(line)\n".utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
