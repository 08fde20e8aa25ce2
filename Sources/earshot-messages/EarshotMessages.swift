import ArgumentParser
import EarshotConsole

/// `earshot publish` and `earshot subscribe`: a program of its own, because what speaks HTTP takes 10 ms to start, and a decoder that
/// takes 8 should not wait for it.
@main
struct EarshotMessages: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "earshot", abstract: "Publish messages to whoever is within earshot, and get theirs.",
        version: "0.1.0", subcommands: [PublishCommand.self, SubscribeCommand.self])

    static func main() {
        StandardStream.prepare()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            failure.exit()
        } catch {
            exit(withError: error)
        }
    }
}
