/// A program's output for `--experimental-dump-help`: swift-argument-parser's format, version 0, as far as a manual
/// needs it.
struct ProgramHelp: Decodable {
    var serializationVersion: Int
    var command: CommandHelp
}

/// A command or one of its subcommands.
struct CommandHelp: Decodable {
    var commandName: String
    var abstract: String?
    var discussion: String?
    var shouldDisplay: Bool?
    var arguments: [ArgumentHelp]?
    var subcommands: [CommandHelp]?

    /// The arguments that help lists.
    var listedArguments: [ArgumentHelp] { (arguments ?? []).filter(\.shouldDisplay) }

    /// The subcommands that help lists. `help` itself has no page.
    var listedSubcommands: [CommandHelp] {
        (subcommands ?? []).filter { ($0.shouldDisplay ?? true) && $0.commandName != "help" }
    }

    /// Adds the subcommands of another program of the same name, which is beside this program and gives it more
    /// commands.
    mutating func add(_ other: CommandHelp) {
        let names = Set((subcommands ?? []).map(\.commandName))
        subcommands = (subcommands ?? []) + other.listedSubcommands.filter { !names.contains($0.commandName) }
    }
}

/// A positional argument, an option with a value, or a flag.
struct ArgumentHelp: Decodable {
    enum Kind: String, Decodable {
        case positional, option, flag
    }

    struct Name: Decodable {
        enum Kind: String, Decodable {
            case long, short, longWithSingleDash
        }

        var kind: Kind
        var name: String

        /// The name as the user types it.
        var text: String { kind == .long ? "--\(name)" : "-\(name)" }
    }

    var kind: Kind
    var names: [Name]?
    var preferredName: Name?
    var valueName: String?
    var abstract: String?
    var discussion: String?
    var isOptional: Bool
    var isRepeating: Bool
    var shouldDisplay: Bool
    var defaultValue: String?
    var allValues: [String]?
    var sectionTitle: String?
}
