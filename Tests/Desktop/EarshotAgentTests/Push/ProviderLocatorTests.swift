import Foundation
import Glibc
import MessagesTestSupport
import TestSupport
import Testing

@testable import EarshotAgent

@Suite struct ProviderLocatorTests {
    private let scratch: ScratchFolder
    private let locator: ProviderLocator

    init() throws {
        scratch = try ScratchFolder()
        locator = ProviderLocator(folders: ["\(scratch.path)/own", "\(scratch.path)/system"])
        try scratch.write("#!/bin/sh\n", to: "bin/provider")
        chmod("\(scratch.path)/bin/provider", 0o755)
    }

    private func install(_ text: String, in folder: String = "own") throws {
        try scratch.write(text, to: "\(folder)/p.json")
        chmod("\(scratch.path)/\(folder)/p.json", 0o644)
    }

    private var manifest: String { #"{"EarshotCommand":["\#(scratch.path)/bin/provider","a"]}"# }

    private func sentence() -> String {
        do throws(ProviderLocator.Refusal) { return "\(try locator.program(of: "p").command)" } catch {
            return error.sentence
        }
    }

    @Test func theFirstFolderThatHasItCounts() throws {
        try install("nothing", in: "system")
        try install(manifest)
        #expect(try locator.program(of: "p").command == ["\(scratch.path)/bin/provider", "a"])
    }

    @Test func whatIsMissingOrWrongIsSaid() throws {
        #expect(sentence().contains("The provider p is not installed"))
        for text in [
            "{", #"{"EarshotCommand":[]}"#, #"{"EarshotCommand":["bin/sh"]}"#, #"{"EarshotCommand":["/a\u0000"]}"#,
        ] {
            try install(text)
            #expect(sentence().contains("is not of the form"), "\(text)")
        }
        try install(#"{"EarshotCommand":["\#(scratch.path)/bin"]}"#)
        #expect(sentence().contains("is not a program"))
        try install(#"{"EarshotCommand":["\#(scratch.path)/none"]}"#)
        #expect(sentence().contains("no such file"))
    }

    @Test(arguments: ["own/p.json", "own", "bin/provider", "bin"]) func whatOthersMayWriteIsRefused(place: String)
        throws
    {
        try install(manifest)
        chmod("\(scratch.path)/\(place)", 0o777)
        #expect(sentence().contains("can be changed by others (mode 777)"), "\(sentence())")
        #expect(sentence().contains("nobody else may write them"))
    }

    @Test(
        .enabled(if: getuid() == 0, "only root can give files away"), arguments: ["own/p.json", "own", "bin/provider"])
    func whatAnotherUserOwnsIsRefused(place: String) throws {
        try install(manifest)
        chown("\(scratch.path)/\(place)", 65_534, 65_534)
        #expect(sentence().contains("belongs to user 65534"))
    }

    @Test(arguments: ["%", "--script=%"]) func aScriptThatOthersMayWriteIsRefused(word: String) throws {
        let script = "\(scratch.path)/scripts/provider.py"
        try scratch.write("", to: "scripts/provider.py")
        chmod(script, 0o644)
        let word = word.replacing("%", with: script)
        try install(#"{"EarshotCommand":["/bin/sh","-x","none","/dev/null","/tmp","\#(word)"]}"#)
        let before = try locator.program(of: "p")
        #expect(before.files.map(\.path) == ["/bin/sh", "/tmp", script])
        chmod(script, 0o664)
        #expect(sentence().contains("\(script) is not used: it can be changed by others (mode 664)"), "\(sentence())")
        chmod(script, 0o644)
        chmod("\(scratch.path)/scripts", 0o775)
        #expect(sentence().contains("scripts, which can be changed by others (mode 775)"), "\(sentence())")
        chmod("\(scratch.path)/scripts", 0o755)
        try scratch.write("pass\n", to: "scripts/provider.py")
        chmod(script, 0o644)
        #expect(try locator.program(of: "p") != before)
    }

    /// A relative path would name another file in each folder in which an agent starts. A folder may have any name.
    @Test func aScriptWithoutAFolderIsRefused() throws {
        func present(_ type: FileAttributeType) throws -> String {
            try #require(
                try FileManager.default.contentsOfDirectory(atPath: ".").first { name in
                    !name.hasPrefix("-") && !name.contains("\"")
                        && (try? FileManager.default.attributesOfItem(atPath: name))?[.type] as? FileAttributeType
                            == type
                })
        }
        try install(#"{"EarshotCommand":["/bin/sh","\#(try present(.typeRegular))"]}"#)
        #expect(sentence().contains("Write the absolute path"), "\(sentence())")
        try install(#"{"EarshotCommand":["/bin/sh","\#(try present(.typeDirectory))"]}"#)
        #expect(try locator.program(of: "p").files.map(\.path) == ["/bin/sh"])
    }

    @Test func aReplacedProgramIsAnotherOne() throws {
        try install(manifest)
        let before = try locator.program(of: "p")
        #expect(try locator.program(of: "p") == before)
        try scratch.write("#!/bin/sh\nexit 0\n", to: "bin/provider")
        chmod("\(scratch.path)/bin/provider", 0o755)
        #expect(try locator.program(of: "p") != before)
    }
}
