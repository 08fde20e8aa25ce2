import Foundation

/// The manual page of one command, in the man(7) macros, which every man program renders.
struct ManualPage {
    /// The first line of each page, by which `make uninstall` recognises the pages.
    static let mark = ".\\\" Made from the help of Earshot's programs."

    /// The words that call the command, such as ["earshot", "decode"].
    let words: [String]
    let command: CommandHelp
    /// The installed version, and the date, such as 2026-11-22.
    let version: String
    let date: String

    /// The page's name: earshot-decode for `earshot decode`.
    var name: String { words.joined(separator: "-") }

    var text: String {
        var lines = [Self.mark]
        lines.append(".TH \(Roff.argument(name.uppercased())) 1 \(date) \(Roff.argument(version))")
        lines += ["\(section("NAME"))", "\(Roff.literal(name)) \\- \(Roff.text(shortAbstract))"]
        lines += [section("SYNOPSIS"), synopsis]
        let discussion = Discussion(command.discussion ?? "")
        lines.append(section("DESCRIPTION"))
        lines += [command.abstract.map(Roff.text) ?? ""] + discussion.description.flatMap(lines(of:))
        lines += commands + arguments
        if !discussion.exitStatus.isEmpty {
            lines += [section("EXIT STATUS")] + discussion.exitStatus.flatMap { entries(of: $0, isTerm: \.isNumber) }
        }
        if !discussion.environment.isEmpty {
            lines +=
                [section("ENVIRONMENT")]
                + discussion.environment.flatMap { entries(of: $0) { $0.isLetter || $0 == "_" } }
        }
        if !discussion.examples.isEmpty {
            lines += [section("EXAMPLES")] + discussion.examples.flatMap(lines(of:))
        }
        lines += seeAlso
        return Self.tidied(lines).joined(separator: "\n") + "\n"
    }

    /// Without empty lines, and without the macro for a new paragraph where a section begins one anyway.
    private static func tidied(_ lines: [String]) -> [String] {
        var result: [String] = []
        for line in lines where !line.isEmpty {
            if line == ".PP", result.last?.hasPrefix(".SH") == true { continue }
            result.append(line)
        }
        return result
    }

    private func section(_ title: String) -> String { ".SH \(Roff.argument(title))" }

    /// The abstract's first sentence as a manual's index shows it: lower case, no full stop.
    private var shortAbstract: String {
        let text = (command.abstract ?? "").components(separatedBy: ". ")[0]
        let start = text.prefix(1).lowercased() + text.dropFirst()
        return start.hasSuffix(".") ? String(start.dropLast()) : start
    }

    // MARK: The command line

    private var synopsis: String {
        var parts = [Roff.bold(words.joined(separator: " "))]
        let listed = command.listedArguments
        if !command.listedSubcommands.isEmpty { parts.append(Roff.italic("command")) }
        if listed.contains(where: { $0.kind != .positional && $0.isOptional }) {
            parts.append("[\(Roff.italic("option"))\\ ...]")
        }
        for argument in listed where argument.kind == .positional || !argument.isOptional {
            let text =
                (argument.kind == .positional ? value(argument) : spelling(argument, maximumNameCount: 1))
                + (argument.isRepeating ? "\\ ..." : "")
            parts.append(argument.isOptional ? "[\(text)]" : text)
        }
        return parts.joined(separator: " ")
    }

    private var commands: [String] {
        guard !command.listedSubcommands.isEmpty else { return [] }
        return [section("COMMANDS")]
            + command.listedSubcommands.flatMap { command in
                [".TP", reference(words + [command.commandName]), Roff.text(command.abstract ?? "")]
            }
    }

    /// Positional arguments, then options in the sections that help gives them.
    private var arguments: [String] {
        let listed = command.listedArguments
        let positional = listed.filter { $0.kind == .positional }
        var lines: [String] = []
        if !positional.isEmpty {
            lines += [section("ARGUMENTS")] + positional.flatMap { [".TP", value($0)] + explanation(of: $0) }
        }
        let options = listed.filter { $0.kind != .positional }
        var titles: [String?] = []
        for option in options where !titles.contains(option.sectionTitle) { titles.append(option.sectionTitle) }
        for title in titles {
            lines.append(section(title.map { "\($0) OPTIONS".uppercased() } ?? "OPTIONS"))
            for entry in Self.entries(options.filter { $0.sectionTitle == title }) {
                lines += [".TP", entry.map { spelling($0) }.joined(separator: ", ")] + explanation(of: entry[0])
            }
        }
        return lines
    }

    /// Options in one entry: a flag and its opposite, `--reconnect` and `--no-reconnect`, or a single option.
    private static func entries(_ options: [ArgumentHelp]) -> [[ArgumentHelp]] {
        options.reduce(into: []) { entries, option in
            if let last = entries.last, option.kind == .flag, let name = option.names?.first?.text,
                last[0].names?.first.map({ "--no-" + $0.text.dropFirst(2) }) == name
            {
                entries[entries.count - 1].append(option)
            } else {
                entries.append([option])
            }
        }
    }

    /// All names of an option, and its value.
    private func spelling(_ argument: ArgumentHelp, maximumNameCount: Int = .max) -> String {
        let names = (argument.names ?? []).prefix(maximumNameCount).map { Roff.bold($0.text) }.joined(separator: ", ")
        return argument.kind == .option ? "\(names) \(value(argument))" : names
    }

    private func value(_ argument: ArgumentHelp) -> String {
        Roff.italic(argument.valueName ?? "value")
    }

    private func explanation(of argument: ArgumentHelp) -> [String] {
        var parts = [argument.abstract, argument.discussion].compactMap { $0 }
        let said = parts.joined(separator: " ")
        if let values = argument.allValues, !values.allSatisfy(said.contains) {
            parts.append("Values: \(values.joined(separator: ", ")).")
        }
        if let value = argument.defaultValue { parts.append("Default: \(value).") }
        return [Roff.text(parts.joined(separator: " "))]
    }

    // MARK: The discussion

    private func lines(of element: Discussion.Element) -> [String] {
        switch element {
        case .paragraph(let text): [".PP", Roff.text(text)]
        case .lines(let lines): [".PP", ".RS 4", ".EX"] + Self.outdented(lines).map(Roff.literal) + [".EE", ".RE"]
        }
    }

    /// Lines that begin with a number explain it; a line that is indented farther continues the one before.
    private func entries(of element: Discussion.Element, isTerm: (Character) -> Bool) -> [String] {
        guard case .lines(let raw) = element else { return lines(of: element) }
        var result: [String] = []
        for line in Self.outdented(raw) {
            let term = line.prefix(while: isTerm)
            let rest = String(line.dropFirst(term.count).drop { $0 == " " })
            if term.isEmpty, !result.isEmpty {
                result[result.count - 1] += " " + Roff.text(rest)
            } else {
                result += [".TP", term.isEmpty ? "\\&" : Roff.bold(String(term)), Roff.text(rest)]
            }
        }
        return result
    }

    /// Without the indentation that all lines share.
    private static func outdented(_ lines: [String]) -> [String] {
        let indentation = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.dropFirst(indentation)) }
    }

    // MARK: Other pages

    private var seeAlso: [String] {
        let parents = (1..<max(1, words.count)).map { Array(words.prefix($0)) }
        let children = command.listedSubcommands.map { words + [$0.commandName] }
        let references = (parents + children).map(reference)
        return references.isEmpty ? [] : [section("SEE ALSO"), references.joined(separator: ", ")]
    }

    /// A page's name, which is not hyphenated.
    private func reference(_ words: [String]) -> String {
        "\\%\(Roff.bold(words.joined(separator: "-")))(1)"
    }
}
