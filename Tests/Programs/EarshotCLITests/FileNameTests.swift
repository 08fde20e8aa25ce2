import Foundation
import TestSupport
import Testing

/// File names whose bytes are not UTF-8. Foundation cannot pass or list these, so a shell does.
@Suite struct FileNameTests {
    /// "café" in Latin-1.
    private static let name = #"$'caf\351'"#

    /// Runs a script; "$0" is the tool.
    private func run(_ script: String, in scratch: Scratch) throws -> Program {
        let program = try Program(
            "bash", ["-c", script, Tool.url.path], environment: ["PATH": "/usr/bin:/bin"], in: scratch)
        #expect(program.waitForEnd(within: 60))
        return program
    }

    @Test func filesKeepTheirBytes() throws {
        let scratch = try Scratch()
        let program = try run(
            """
            name=\(Self.name)
            set -e
            "$0" encode 0123456789abcdef -o "$name.wav"
            "$0" decode --json "$name.wav"
            "$0" inspect "$name.wav" --output="$name.svg"
            "$0" simulate --trials 1 --snr 20 --noise "$name.wav" --plot "$name.plot" --quiet >simulation
            "$0" loopback --via wav --profile fast --count 1 --keep "$name.kept" --report "$name.pair" >loopback
            "$0" listen --device null --seconds 0.1 --record "$name.heard" --quiet || [ $? = 1 ]
            "$0" listen --device null --seconds 0.1 --report "$name.report" --quiet || [ $? = 1 ]
            for suffix in wav svg plot kept pair heard report.wav report.json; do
                test -s "$name.$suffix"
                rm "$name.$suffix"
            done
            """, in: scratch)
        #expect(program.status == 0, "\(program.account)")
        #expect(scratch.names == ["loopback", "simulation"])
        // JSON has to be UTF-8.
        let line = try JSONSerialization.jsonObject(with: Data(program.output.utf8)) as? [String: Any]
        #expect(line?["file"] as? String == #"caf\xE9.wav"#)
        #expect(program.error.contains(#"wrote caf\xE9.wav"#) && program.error.contains(#"wrote caf\xE9.svg"#))
    }

    @Test func namesThatDifferInSuchBytesAreDifferentFiles() throws {
        let scratch = try Scratch()
        let program = try run(
            """
            "$0" encode aa -o $'x\\351.wav' -q && "$0" encode bb -o $'x\\352.wav' -q && "$0" decode $'x\\352.wav'
            rm $'x\\351.wav' $'x\\352.wav'
            """, in: scratch)
        #expect(program.output.contains("  bb  "), "\(program.account)")
    }

    @Test func aMissingFileIsNamed() throws {
        let scratch = try Scratch()
        for command in ["decode", "publish --direct --file", "subscribe --key-file"] {
            let program = try run("exec \"$0\" \(command) \(Self.name)", in: scratch)
            #expect(program.status == 66, "\(program.account)")
            #expect(program.error.contains(#"caf\xE9: No such file"#), "\(program.error)")
        }
    }

    /// Text that other people or programs read is UTF-8.
    @Test(arguments: ["encode -o x.wav --text", "subscribe --key a --type", "publish a --key"])
    func textHasToBeUTF8(command: String) throws {
        let scratch = try Scratch()
        let program = try run("exec \"$0\" \(command) \(Self.name)", in: scratch)
        #expect(program.status == 64, "\(program.account)")
        #expect(program.error.contains("not UTF-8"), "\(program.error)")
        #expect(scratch.names.isEmpty)
    }
}
