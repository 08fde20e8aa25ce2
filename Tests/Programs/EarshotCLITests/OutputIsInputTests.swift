import EarshotModem
import Foundation
import TestSupport
import Testing

/// No command replaces or damages its input, whatever name the output has.
@Suite struct OutputIsInputTests {
    /// A recording, a symbolic link to it, and a second name for it.
    private func recording() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write(try Sound.frame("cafe", .fast), "take.wav")
        let files = FileManager.default
        try files.createSymbolicLink(atPath: scratch.path("link.wav"), withDestinationPath: "take.wav")
        try files.linkItem(atPath: scratch.path("take.wav"), toPath: scratch.path("second.wav"))
        return scratch
    }

    /// Runs a shell, for its redirections. "$0" is the tool.
    private func shell(_ command: String, in scratch: Scratch) throws -> Program {
        let program = try Program(
            "bash", ["-c", command, Tool.url.path], environment: ["PATH": "/usr/bin:/bin"], in: scratch)
        #expect(program.waitForEnd(within: 60))
        return program
    }

    @Test(arguments: ["take.wav", "./take.wav", "link.wav", "second.wav"])
    func inspectKeepsTheRecording(output: String) throws {
        let scratch = try recording()
        let before = try scratch.data("take.wav")
        let result = try Tool.run(["inspect", "take.wav", "-o", output], in: scratch)
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: Cannot write \(output): it is the same file as the input"))
        #expect(try scratch.data("take.wav") == before)
        #expect(scratch.names == ["link.wav", "second.wav", "take.wav"])
    }

    @Test func linksAsInputsAreFollowedToo() throws {
        let scratch = try recording()
        let result = try Tool.run(["inspect", "link.wav", "-o", "second.wav"], in: scratch)
        #expect(result.status == 64)
        #expect(result.error.contains("second.wav") && result.error.contains("link.wav"))
    }

    @Test(arguments: [
        #""$0" inspect - -o take.wav <take.wav"#, #""$0" inspect take.wav -o - >>link.wav"#,
        #""$0" decode second.wav >>take.wav"#, #""$0" decode - <take.wav >>take.wav"#,
        #""$0" decode other.wav take.wav >>take.wav"#,
        #""$0" simulate --noise take.wav --plot second.wav"#, #""$0" simulate --csv --noise take.wav >>take.wav"#,
        #""$0" publish --direct --file take.wav >>take.wav"#, #""$0" subscribe --key-file take.wav >>link.wav"#,
    ])
    func redirectionsAreNoticed(command: String) throws {
        let scratch = try recording()
        let before = try scratch.data("take.wav")
        let program = try shell(command, in: scratch)
        #expect(program.status == 64, "\(program.account)")
        #expect(program.error.contains("the same file as the input"), "\(program.error)")
        #expect(try scratch.data("take.wav") == before)
    }

    @Test func loopbackKeepsItsSound() throws {
        let scratch = try Scratch()
        let result = try Tool.run(["loopback", "--via", "wav", "--keep", "x", "--report", "x"], in: scratch)
        #expect(result.status == 64)
        #expect(scratch.names.isEmpty)
    }

    /// Devices may be read and written at once, and an existing output that is no input is replaced.
    @Test func otherFilesAreReplaced() throws {
        let scratch = try recording()
        try scratch.save(Data("old".utf8), "x.svg")
        #expect(try Tool.run(["inspect", "take.wav", "-o", "x.svg"], in: scratch).status == 0)
        #expect(try SVGContent(scratch.data("x.svg")).text.contains("cafe"))
        let null = try shell(#""$0" decode - </dev/null >/dev/null"#, in: scratch)
        #expect(null.status == 65, "\(null.account)")
    }
}
