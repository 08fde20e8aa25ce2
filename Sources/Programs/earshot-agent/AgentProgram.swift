import ArgumentParser
import EarshotBasics
import EarshotConsole

/// The agent, and the commands that show and end its work. `earshot agent` runs this program, `earshot-agent`, and
/// `earshot push` the link `earshot-push` to it.
///
/// Under any other name it has the commands `agent` and `push`, as the manual and the completions show them.
@main
struct AgentProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "earshot", abstract: "Run the background work of apps, show it, and end it.",
        version: ProgramVersion.current, subcommands: [AgentCommand.self, PushCommand.self])

    static func main() {
        StandardStream.prepare()
        do {
            let arguments = try ProgramArguments.all
            let file = CommandLine.arguments.first?.split(separator: "/").last ?? ""
            let name = ["earshot-agent": ["agent"], "earshot-push": ["push"]][String(file)] ?? []
            // The parser's error for a mistyped command would have no suggestion.
            if let mistake = CommandTree(Self.self).mistake(in: name + arguments) {
                throw Failure(.usage, mistake.escapedForTerminal)
            }
            var command = try parseAsRoot(name + arguments)
            try command.run()
        } catch let failure as Failure {
            failure.exit()
        } catch {
            leave(withError: error)
        }
    }
}
