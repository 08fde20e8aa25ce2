import Foundation

/// Writes the manual pages of programs that use swift-argument-parser: one page for each command, from the programs'
/// own help.
///
///     manual-pages FOLDER DATE PROGRAM ...
///
/// Programs of the same name count as one program with the commands of all; the first of them has the page with the
/// program's name. The argument parser's own generator drops all characters outside ASCII, fills examples like prose,
/// and claims that each command exits with 0 or more.
@main
struct ManualPages {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 3 else { leave("usage: manual-pages FOLDER DATE PROGRAM ...", status: 64) }
        do {
            let folder = URL(fileURLWithPath: arguments[0])
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for page in try pages(programs: Array(arguments.dropFirst(2)), date: arguments[1]) {
                try Data(page.text.utf8).write(to: folder.appendingPathComponent("\(page.name).1"))
            }
        } catch {
            leave("Cannot write the manual: \(error)", status: 73)
        }
    }

    private static func leave(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(status)
    }

    /// The pages of all commands.
    static func pages(programs: [String], date: String) throws -> [ManualPage] {
        var roots: [(command: CommandHelp, version: String)] = []
        for program in programs {
            let dumped = try JSONDecoder().decode(ProgramHelp.self, from: output(program, "--experimental-dump-help"))
            guard dumped.serializationVersion == 0 else {
                throw ManualError(
                    description: "\(program) dumps its help in version \(dumped.serializationVersion), not 0")
            }
            let command = dumped.command
            if let index = roots.firstIndex(where: { $0.command.commandName == command.commandName }) {
                roots[index].command.add(command)
            } else {
                let version = String(decoding: try output(program, "--version"), as: UTF8.self)
                // Some programs print their name before the number.
                let number = version.split(whereSeparator: \.isWhitespace).last ?? ""
                roots.append((command, "Earshot \(number)"))
            }
        }
        return roots.flatMap { pages(of: $0.command, words: [$0.command.commandName], version: $0.version, date: date) }
    }

    /// The page of a command and those of its subcommands.
    static func pages(of command: CommandHelp, words: [String], version: String, date: String) -> [ManualPage] {
        [ManualPage(words: words, command: command, version: version, date: date)]
            + command.listedSubcommands.flatMap {
                pages(of: $0, words: words + [$0.commandName], version: version, date: date)
            }
    }

    private static func output(_ program: String, _ argument: String) throws -> Data {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [argument]
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ManualError(description: "\(program) \(argument) ended with status \(process.terminationStatus)")
        }
        return data
    }
}

struct ManualError: Error, CustomStringConvertible {
    let description: String
}
