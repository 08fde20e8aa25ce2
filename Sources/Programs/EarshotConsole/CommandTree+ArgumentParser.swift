package import ArgumentParser
package import EarshotBasics

extension CommandTree {
    /// The names of a parser's commands.
    package init(_ command: any ParsableCommand.Type) {
        self.init(command._commandName, command.configuration.subcommands.map(CommandTree.init))
    }
}
