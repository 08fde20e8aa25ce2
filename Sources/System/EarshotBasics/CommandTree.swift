/// The names of a program's commands, and of their subcommands.
public struct CommandTree: Sendable {
    /// The command's name, without those above it.
    public let name: String
    /// Its subcommands; none if the command takes other arguments.
    public let subcommands: [CommandTree]

    /// A command of these subcommands.
    public init(_ name: String, _ subcommands: [CommandTree]) {
        self.name = name
        self.subcommands = subcommands
    }

    /// The sentence for a mistyped subcommand in `words`, with a suggestion; nil if there is none.
    ///
    /// Options end the search: a word after them may be an option's value. `help` takes a command's name.
    public func mistake(in words: some Collection<String>) -> String? {
        mistake(words.prefix { !$0.hasPrefix("-") }.filter { $0 != "help" }, path: name)
    }

    private func mistake(_ words: some Collection<String>, path: String) -> String? {
        guard let word = words.first, !subcommands.isEmpty else { return nil }
        if let subcommand = subcommands.first(where: { $0.name == word }) {
            return subcommand.mistake(Array(words.dropFirst()), path: "\(path) \(word)")
        }
        let suggestion =
            NearestName.of(word, among: subcommands.map(\.name)).map { "Did you mean '\($0)'? " } ?? ""
        return "\(path) has no command '\(word)'. \(suggestion)'\(path) --help' lists the commands."
    }
}
