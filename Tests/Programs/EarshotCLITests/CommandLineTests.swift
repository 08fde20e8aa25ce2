import ArgumentParser
import EarshotBasics
import EarshotConsole
import TestSupport
import Testing

@testable import earshot
@testable import earshot_agent
@testable import earshot_messages

/// The words of a command line come from scripts and strangers' file names. Any words give a command, or a sentence that names the
/// error. The seed makes a failure repeatable.
@Suite struct CommandLineTests {
    /// Each option of the programs, values that they take, and words that they do not take.
    private static let words =
        """
        encode decode listen broadcast loopback simulate inspect devices nearby publish subscribe beacons beacon agent push status run \
        list enable help --help --version --help-hidden -h -o -q -v -qo -- - --text --output --overwrite --profile --rate --format \
        --repeat --burst --gap --level --json --quiet --raw --combine --separate --payload --jobs --stats --device --channels --mix \
        --every-channel --seconds --count --record --report --reconnect --own --broadcast --playback --interval --jitter --via --keep \
        --snr --channel --ppm --doppler --seed --require --trials --precision --threads --bytes --alike --noise --min-success --list \
        --csv --plot --start --capture --all --token --mode --medium --adapter --file --type --namespace --key --key-file --service \
        --direct --verbose --beacons --no-ibeacons --low-power --eddystone --ibeacon --altbeacon --url --power --telemetry --socket \
        --state --start-interval --claim-time --end-when-idle --level=-20 --rate=x --count= 0123456789abcdef 00 zz x.wav x.flac x.svg \
        hw:0 hci0 fast standard far all wav alsa air s16 s24 float s16le:48000 f32le:96000:2 room-a room-b crowd-3 0 1 -1 2 8 1e9 -1e9 \
        0.5 1e400 nan inf 9223372036854775807 9223372036854775808 0:10:2 0:1e9:1e-9 -3,0,1e2 audio,bluetooth both scan \
        http://127.0.0.1:8080 https://[::1]/x 00112233445566778899:aabbccddeeff 00112233-4455-6677-8899-aabbccddeeff:1:2 low continuous \
        /s relative \u{e9}\u{301} \u{202e}x
        """.split { $0 == " " || $0 == "\n" }.map(String.init) + [
            "", " ", "\u{0}\u{ff}", String(repeating: "a", count: 5_000),
        ]

    @Test(arguments: 0..<4) func `any words make a command or a sentence`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = TestLength.count(100, long: 20_000)
        for _ in 0..<count {
            let arguments = (0...Int.random(in: 0...9, using: &generator)).map { _ in
                Self.words.randomElement(using: &generator) ?? ""
            }
            Self.parse(arguments, as: Earshot.self)
            Self.parse(arguments, as: MessageProgram.self)
            Self.parse(arguments, as: AgentProgram.self)
        }
    }

    private static func parse<Program: ParsableCommand>(_ arguments: [String], as program: Program.Type) {
        do {
            _ = try program.parseAsRoot(arguments)
        } catch {
            let (code, text) = (program.exitCode(for: error).rawValue, program.fullMessage(for: error))
            if ![0, 64].contains(code) || text.isEmpty { Issue.record("\(arguments): status \(code), '\(text)'") }
        }
    }

    /// A Swift string replaces bytes that are not UTF-8.
    @Test func `the bytes of an argument come back`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            // An argument cannot contain a 0.
            let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? UInt8.random(in: 1...255, using: &generator)
                    : [0x41, 0xC3, 0xA9, 0xE2, 0x80, 0x8E, 0xF0, 0x9F].randomElement(using: &generator) ?? 1
            }
            let text = ProgramArguments.text(of: bytes)
            #expect(ProgramArguments.bytes(of: text) == bytes)
        }
    }
}
