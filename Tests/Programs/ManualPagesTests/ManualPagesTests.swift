import Foundation
import TestSupport
import Testing

@testable import manual_pages

/// The manual pages of the built programs.
@Suite struct ManualPagesTests {
    private static let programs = [Program.earshot, Program.messages]

    private static func pages() throws -> [String: String] {
        let pages = try ManualPages.pages(programs: programs.map(\.path), date: "2026-11-22")
        return Dictionary(pages.map { ($0.name, $0.text) }) { first, _ in first }
    }

    @Test(arguments: programs) func everyCommandAndOptionHasItsPlace(program: Program) throws {
        let pages = try Self.pages()
        let commands = try program.commands()
        #expect(commands.count >= 3)
        for command in commands {
            let page = try #require(pages["earshot-\(command)"], "there is no page for earshot \(command)")
            let help = try program.output([command, "--help"])
            let options = Set(help.split { !$0.isLetter && $0 != "-" }.filter { $0.hasPrefix("--") && $0.count > 3 })
            #expect(options.count > 2)
            for option in options {
                #expect(page.contains(Roff.literal(String(option))), "\(option) of earshot \(command)")
            }
        }
    }

    @Test func thePageOfTheProgramListsTheCommandsOfAll() throws {
        let page = try #require(Self.pages()["earshot"])
        for program in Self.programs {
            for command in try program.commands() {
                #expect(page.contains(Roff.bold("earshot-\(command)")), "\(command)")
            }
        }
        #expect(page.contains("\\fB130\\fR") && page.contains(".SH \"EXIT STATUS\""))
        #expect(page.contains("\\fBTMPDIR\\fR") && page.contains(".SH \"ENVIRONMENT\""))
        let publish = try #require(Self.pages()["earshot-publish"])
        #expect(publish.contains("\\fBEARSHOT_KEY\\fR") && publish.contains(".SH \"ENVIRONMENT\""))
    }

    /// A name can be typed as it is shown, and `--output, -o` cannot.
    @Test func aSynopsisNamesEachOptionOnce() throws {
        for (name, text) in try Self.pages() {
            let lines = text.split(separator: "\n")
            let heading = try #require(lines.firstIndex { $0.hasPrefix(".SH") && $0.contains("SYNOPSIS") }, "\(name)")
            #expect(!lines[heading + 1].contains(","), "\(name): \(lines[heading + 1])")
        }
    }

    @Test func theSecondProgramAddsOnlyItsCommands() throws {
        // Subcommands of commands have pages too, such as earshot-field-play.
        let names = try Self.pages().keys.filter { $0.split(separator: "-").count <= 2 }.sorted()
        #expect(names.count == (try Self.programs.flatMap { try $0.commands() }).count + 1)
        #expect(names.contains("earshot-decode") && names.contains("earshot-publish"))
    }

    @Test(arguments: [["mandoc", "-Tlint", "-Wwarning"], ["groff", "-man", "-ww", "-Tutf8", "-z"]])
    func pagesAreRenderedWithoutWarnings(checker: [String]) throws {
        let program = try #require(Program(installed: checker[0]))
        let folder = try Scratch()
        for (name, text) in try Self.pages() {
            let file = folder.url.appendingPathComponent("\(name).1")
            try Data(text.utf8).write(to: file)
            let complaints = try program.output(Array(checker.dropFirst()) + [file.path])
            #expect(complaints.isEmpty, "\(complaints)")
        }
    }
}
