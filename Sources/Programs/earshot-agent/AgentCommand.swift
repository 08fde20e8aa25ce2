import ArgumentParser
import EarshotConsole
import EarshotMessages
import Foundation
import NearbyWire

struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Run the background work of apps, show it, and end it.",
        discussion: """
            Apps hand publications and subscriptions that are allowed in the background to the agent, one program for each \
            user. It runs them over Bluetooth while the app is in the background or not running, and starts the app when \
            something is found for it. The other commands show the agent's work, and end it.

            EXAMPLES:
              earshot agent status
              earshot agent list --json
              earshot agent stop org.example.museum

            To forbid an app permanently, withdraw its permission: write {"permission":"denied"} into \
            ~/.config/APP/nearby.json. The agent stops its work within a second.

            Exit codes: 0 done; 1 there is no such app; 69 no agent runs.
            """,
        subcommands: [RunCommand.self, Status.self, List.self, Stop.self, Forget.self], defaultSubcommand: Status.self)
}

/// The option of all of these commands.
struct AgentSocketOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The agent's socket. (default: $EARSHOT_AGENT_SOCKET, or $XDG_RUNTIME_DIR/earshot/agent.sock)",
            valueName: "path"))
    var socket: String?

    func overview(_ action: ClientFrame.Request.Action, app: String? = nil) throws(Failure) -> AgentOverview {
        try AgentQuery.ask(ClientFrame.Request(action, app: app), at: try path()) { frame in
            if case .overview(let overview) = frame { overview } else { nil }
        }
    }

    func pushOverview() throws(Failure) -> PushFrame.Overview {
        try AgentQuery.ask(ClientFrame.Request(.push), at: try path()) { frame in
            if case .pushOverview(let overview) = frame { overview } else { nil }
        }
    }

    private func path() throws(Failure) -> String {
        if let path = socket ?? AgentSocket.systemPath { return path }
        throw Failure(.unavailable, "There is no XDG_RUNTIME_DIR, where the agent's socket would be. Give --socket.")
    }
}

/// The options of the commands that print something.
struct QueryOptions: ParsableArguments {
    @OptionGroup var agent: AgentSocketOption

    @Flag(help: "Print lines of JSON.")
    var json = false

    func overview(_ action: ClientFrame.Request.Action) throws(Failure) -> AgentOverview { try agent.overview(action) }
    func pushOverview() throws(Failure) -> PushFrame.Overview { try agent.pushOverview() }
}

extension AgentCommand {
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show whether the agent runs, its memory and processor time.",
            discussion: """
                A line of JSON with --json:
                  {"process":812,"uptime_s":3600,"cpu_s":0.84,"resident_bytes":11534336,
                  "radio_share":0.375,"apps":2,"operations":3}

                Exit codes: 0 the agent runs; 69 it does not.
                """)

        @OptionGroup var options: QueryOptions

        func run() throws {
            AgentOutput(isJSON: options.json).printStatus(try options.overview(.overview))
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show every operation: for which app, since when, on which medium.",
            discussion: """
                A line of JSON for each operation with --json:
                  {"app":"org.example.museum","running":[4711],"id":"subscription-…",
                  "kind":"subscription","type":"exhibit","namespace":"",
                  "status":"active","media":["ble"],"problems":[],
                  "since":"2026-11-22T14:03:22Z","radio_share":0.375,"near":2,
                  "waiting":0}
                """)

        @OptionGroup var options: QueryOptions

        func run() throws {
            AgentOutput(isJSON: options.json).printList(try options.overview(.overview))
        }
    }

    struct Stop: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "End an app's background work.",
            discussion: """
                All operations of the app end now, and its running processes cannot start others in the background. A new \
                process of the app can. The app itself continues.
                """)

        @OptionGroup var agent: AgentSocketOption

        @Argument(help: ArgumentHelp("The app as 'earshot agent list' shows it.", valueName: "app"))
        var app: String

        func run() throws {
            _ = try agent.overview(.stop, app: app)
        }
    }

    struct Forget: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "End an app's background work, and remove what the agent stored for it.",
            discussion: """
                Like 'stop', and removes the events that wait for the app, and the agent's file about it. The permission \
                that you gave the app stays, in ~/.config/APP/nearby.json. Local push is separate: 'earshot push remove' \
                removes a configuration with the calls that wait.
                """)

        @OptionGroup var agent: AgentSocketOption

        @Argument(help: ArgumentHelp("The app as 'earshot agent list' shows it.", valueName: "app"))
        var app: String

        func run() throws {
            _ = try agent.overview(.forget, app: app)
        }
    }
}
