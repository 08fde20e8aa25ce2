import ArgumentParser
import EarshotConsole
import EarshotMessages
import EarshotPush

struct PushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Show local push: which networks apps name, and which providers run.",
        discussion: """
            An app can name networks, such as the Wi-Fi of a ship. While the machine is on one of them, the agent runs \
            the app's provider, a program that keeps a connection to a server on that network. The provider shows \
            notifications and reports calls, also while the app is not running. docs/PUSH.md, installed as \
            /usr/share/doc/earshot/docs/PUSH.md, says how to write one.

            EXAMPLES:
              earshot push status
              earshot push list --json
              earshot push log
              earshot push disable 3f2a

            Exit codes: 0 done; 1 there is no such configuration; 69 no agent runs, which \
            disable and remove do not need.
            """,
        subcommands: [Status.self, List.self, Log.self, Disable.self, Remove.self], defaultSubcommand: Status.self)
}

extension PushCommand {
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show the network, the configuration that matches it, and its provider.",
            discussion: """
                A line of JSON with --json:
                  {"network":"Wi-Fi \\"Ship\\"","source":"networkManager","configurations":3,
                  "matching":1,"active":1,"problems":[]}

                Exit codes: 0 the agent runs; 69 it does not.
                """)

        @OptionGroup var options: QueryOptions

        func run() throws { PushOutput(isJSON: options.json).printStatus(try options.pushOverview()) }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show every configuration, and the state of its provider.",
            discussion: """
                The states: active, its start succeeded; starting; stopping; waiting, it should run but does not, and \
                the last error says why; stopped, it should not run.

                A line of JSON for each configuration with --json:
                  {"configuration":"3f2a…","app":"org.example.ship","description":"Ship",
                  "provider":"org.example.ship.Provider","networks":["Wi-Fi \\"Ship\\""],
                  "enabled":true,"matching":true,"state":"active","process":812,
                  "since":"2026-11-23T14:03:22Z","restarts":0,"waiting":0}
                process and since are there while a provider runs. last_error is the last error, last_stop the reason of the \
                last stop, superseded_by the configuration that has its networks now.
                """)

        @OptionGroup var options: QueryOptions

        func run() throws { PushOutput(isJSON: options.json).printList(try options.pushOverview()) }
    }

    struct Log: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "log", abstract: "Show the latest 100 events of local push since the agent started.",
            discussion: """
                The journal, or the agent's standard error, has all of them.

                A line of JSON for each event with --json:
                  {"time":"2026-11-23T14:03:22Z","text":"org.example.ship: process 812 is active"}
                """)

        @OptionGroup var options: QueryOptions

        func run() throws { PushOutput(isJSON: options.json).printLog(try options.pushOverview()) }
    }

    struct Disable: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Switch a configuration off.",
            discussion: "Its provider stops within a second. The app can switch it on again.")

        @Argument(
            help: ArgumentHelp("What 'earshot push list' shows first, or its beginning.", valueName: "configuration"))
        var configuration: String

        func run() throws {
            try ConfigurationChoice.perform(configuration) { store, found in
                _ = try store.disable(identifier: found)
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a configuration.",
            discussion: "Its provider stops within a second, and the events that wait for its app are dropped.")

        @Argument(
            help: ArgumentHelp("What 'earshot push list' shows first, or its beginning.", valueName: "configuration"))
        var configuration: String

        func run() throws {
            try ConfigurationChoice.perform(configuration) { store, found in try store.remove(identifier: found) }
        }
    }
}

/// The configuration that a user means.
private enum ConfigurationChoice {
    /// Changes the one configuration whose identifier begins with `text`. It needs no agent.
    static func perform(_ text: String, _ change: (PushConfigurationStore, String) throws -> Void) throws {
        let store = PushConfigurationStore()
        let content = store.load()
        for problem in content.problems { StandardStream.error.print(problem.escapedForTerminal) }
        let identifiers = content.configurations.map(\.identifier)
        let found = identifiers.contains(text) ? [text] : identifiers.filter { !text.isEmpty && $0.hasPrefix(text) }
        guard let identifier = found.first, found.count == 1 else {
            if found.isEmpty, content.isIncomplete {
                throw Failure(
                    .inputOutput,
                    "Not all configurations can be read, so '\(text.escapedForTerminal)' may be one. Nothing was changed."
                )
            }
            throw Failure(
                .noTokenFound,
                found.isEmpty
                    ? "There is no configuration '\(text.escapedForTerminal)'. 'earshot push list' shows them."
                    : "\(found.count) configurations begin with '\(text.escapedForTerminal)'. Give more of it.")
        }
        do { try change(store, identifier) } catch let error as PushConfigurationError {
            throw Failure(.inputOutput, error.description.escapedForTerminal)
        }
    }
}
