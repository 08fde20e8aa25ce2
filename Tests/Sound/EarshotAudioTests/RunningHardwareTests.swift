import Glibc
import TestSupport
import Testing

@testable import EarshotAudio

/// A simulated /proc/asound: real content, and content that the parser must not trust.
@Suite struct RunningHardwareTests {
    private static let at48 = """
        access: MMAP_INTERLEAVED
        format: S32_LE
        subformat: STD
        channels: 2
        rate: 48000 (48000/1)
        period_size: 1024
        buffer_size: 16384

        """

    /// Runs `body` with a tree of the files.
    private func withTree(_ files: [String: String], _ body: (String) -> Void) throws {
        let scratch = try TestSupport.Scratch()
        for (path, content) in files {
            let parts = path.split(separator: "/")
            for count in 1..<parts.count {
                mkdir(scratch.path(parts[..<count].joined(separator: "/")), 0o755)
            }
            save(Array(content.utf8), to: scratch.path(path))
        }
        body(scratch.path(""))
    }

    @Test func theConverterAtWorkIsFound() throws {
        let files = [
            "version": "k6.1",
            "card0/pcm0p/sub0/hw_params": "closed\n",
            "card0/pcm0c/sub0/hw_params": Self.at48,
            "card1/pcm3p/sub1/hw_params": Self.at48.replacing("48000", with: "44100"),
        ]
        try withTree(files) { root in
            #expect(RunningHardware.rateHertz(.capture, expected: 96_000, under: root) == 48_000)
            #expect(RunningHardware.rateHertz(.playback, expected: 48_000, under: root) == 44_100)
        }
    }

    @Test func theExpectedRateComesFirst() throws {
        let files = [
            "card0/pcm0p/sub0/hw_params": Self.at48.replacing("48000", with: "16000"),
            "card1/pcm0p/sub0/hw_params": Self.at48,
        ]
        try withTree(files) { root in
            #expect(RunningHardware.rateHertz(.playback, expected: 48_000, under: root) == 48_000)
            #expect(RunningHardware.rateHertz(.playback, expected: 44_100, under: root) == 16_000)
        }
    }

    @Test(arguments: [
        "", "closed\n", "no setup\n", "rate: \n", "rate: fast\n", "rate: 99999999999999999999\n", "  rate: 48000\n",
        String(repeating: "\u{0}", count: 10_000), String(repeating: "x", count: 5_000) + "\nrate: 48000\n",
    ])
    func contentWithoutARateGivesNil(content: String) throws {
        try withTree(["card0/pcm0c/sub0/hw_params": content]) { root in
            #expect(RunningHardware.rateHertz(.capture, expected: 48_000, under: root) == nil)
        }
    }

    @Test func aMissingTreeGivesNil() throws {
        #expect(RunningHardware.rateHertz(.capture, expected: 48_000, under: "/nowhere") == nil)
        try withTree(["card0": "a file", "cards": "--- no soundcards ---"]) { root in
            #expect(RunningHardware.rateHertz(.capture, expected: 48_000, under: root) == nil)
        }
    }
}
