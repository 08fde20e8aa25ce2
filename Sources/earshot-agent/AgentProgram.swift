import ArgumentParser
import EarshotConsole

/// The agent, and the commands that show and end what it does. `earshot agent` runs this program, `earshot-agent`.
///
/// Under any other name it has the command `agent`, as the manual and the completions show it.
@main
struct AgentProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "earshot", abstract: "Keep the background work of apps, show it, and end it.",
        version: ProgramVersion.current, subcommands: [AgentCommand.self])

    static func main() {
        StandardStream.prepare()
        do {
            let file = CommandLine.arguments.first?.split(separator: "/").last ?? ""
            var command = try parseAsRoot((file == "earshot-agent" ? ["agent"] : []) + ProgramArguments.all)
            try command.run()
        } catch let failure as Failure {
            failure.exit()
        } catch {
            exit(withError: error)
        }
    }
}
