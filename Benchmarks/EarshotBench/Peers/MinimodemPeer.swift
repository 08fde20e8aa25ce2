import EarshotAudio
import Foundation

/// minimodem, with one process for each sound, through WAV files of 32-bit floats.
final class MinimodemPeer: Peer {
    private let baud: Int
    private let path: String

    init(baud: Int) throws {
        self.baud = baud
        path = FileManager.default.temporaryDirectory.appendingPathComponent("minimodem-\(UUID()).wav").path
    }

    deinit {
        unlink(path)
    }

    private static let tones = ["-8", "--mark", "18500", "--space", "19000", "--samplerate", "48000"]

    func encode(_ token: [UInt8]) throws -> [Float] {
        let sender = try ChildProcess(
            ["minimodem", "--tx"] + Self.tones + ["--float-samples", "--file", path, String(baud)])
        try token.withUnsafeBytes { try sender.write($0) }
        _ = try sender.finish()
        var reader = try SoundFileReader(path: path)
        var samples: [Float] = []
        var block: [Float] = []
        while case let count = try reader.read(into: &block, maxFrames: 65_536), count > 0 {
            samples += block[..<count]
        }
        return samples
    }

    func decode(_ samples: [Float]) throws -> Reception {
        var writer = try WAVWriter(
            path: path, sampleRateHertz: PeerAir.sampleRateHertz, channelCount: 1, format: .f32)
        try writer.write(samples)
        try writer.finish()
        return .stream(try ChildProcess(Self.receiver(baud: baud, path: path)).finish().output)
    }

    // The default, 1.5, mistakes noise for bytes and misses 8 % of tokens at any SNR. Of 1, 1.2,
    // 1.5, 2, 2.2, 2.3, 2.5 and 3, the value 2 needed the lowest SNR for 90 %. It misses 2 to 4 % at
    // any SNR; a higher value costs sensitivity.
    private static let confidence = "2"

    private static func receiver(baud: Int, path: String) -> [String] {
        ["minimodem", "--rx", "--quiet", "--confidence", confidence] + tones + ["--file", path, String(baud)]
    }

    static let modems = [300, 100].map { baud in
        PeerModem(
            name: "minimodem \(baud) baud",
            setting: "mark 18.5 kHz, space 19 kHz, confidence \(confidence) instead of 1.5", isChecked: false,
            open: { try MinimodemPeer(baud: baud) }, decodeCommand: { receiver(baud: baud, path: $0) })
    }
}
