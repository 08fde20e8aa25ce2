import ArgumentParser
import EarshotConsole

/// The commands that need more than the modem. They use HTTP, which takes 10 ms to start; the decoder, which starts in
/// 8 ms, must not wait for it.
///
/// `earshot publish` runs `earshot-publish`, a link to this program: the link's name chooses the command.
@main
struct MessageProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "earshot",
        abstract: "Find devices and beacons nearby, publish messages to them, and receive theirs.",
        version: ProgramVersion.current,
        subcommands: [
            NearbyCommand.self, PublishCommand.self, SubscribeCommand.self, BeaconsCommand.self, BeaconCommand.self,
            AdaptersCommand.self,
        ])

    static func main() {
        StandardStream.prepare()
        do {
            var command = try parseAsRoot(try arguments)
            try command.run()
        } catch let failure as Failure {
            failure.exit()
        } catch {
            leave(withError: error)
        }
    }

    /// The arguments with the command's name first.
    private static var arguments: [String] {
        get throws(Failure) {
            let given = try ProgramArguments.all
            let file = CommandLine.arguments.first?.split(separator: "/").last ?? ""
            let commands = configuration.subcommands.compactMap { $0.configuration.commandName }
            let command = commands.first { file == "earshot-\($0)" }
            // A shell asks for completions, and names the command itself.
            if given.first == "---completion" { return given }
            return (command.map { [$0] } ?? []) + given
        }
    }
}
