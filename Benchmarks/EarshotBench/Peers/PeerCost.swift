import EarshotAudio
import EarshotChannel
import Foundation

/// The cost of decoding recordings: the whole process, as the operating system accounts for it.
struct PeerCost: Codable {
    struct Run: Codable {
        /// Median of several runs.
        var timesRealTime: Double
        var peakMegabytes: Double
        var tokensSent: Int
        var tokensFound: Int
        /// The output beyond the tokens sent: lines, or bytes if the modem does not check them.
        var other: Int
    }

    static let recordingSeconds = 600
    static let tokenIntervalSeconds = 10
    /// An SNR at which every modem decodes.
    static let snrDecibels = 30.0

    var noise: Run
    var tokens: Run

    init(_ modem: PeerModem, noisePath: String, folder: URL, runs: Int, seed: UInt64) throws {
        noise = try Self.run(modem, path: noisePath, tokens: [], runs: runs)
        let peer = try modem.open()
        let tokens = (0..<Self.recordingSeconds / Self.tokenIntervalSeconds).map {
            PeerAir.token(seed: seed &+ UInt64($0))
        }
        let path = folder.appendingPathComponent("tokens.wav").path
        try Self.writeRecording(path, try tokens.map { try peer.encode($0) }, seed: seed)
        self.tokens = try Self.run(modem, path: path, tokens: tokens, runs: runs)
    }

    /// Writes noise with a signal every `tokenIntervalSeconds`, the same noise for all modems; 48 kHz, 16 bit.
    static func writeRecording(_ path: String, _ signals: [[Float]], seed: UInt64) throws {
        var noise = WhiteNoise(seed: seed)
        let deviation = WhiteNoise.deviation(
            amplitude: PeerAir.peak, snrDecibels: snrDecibels, sampleRateHertz: PeerAir.sampleRateHertz)
        var writer = try WAVWriter(
            path: path, sampleRateHertz: PeerAir.sampleRateHertz, channelCount: 1, format: .s16)
        for index in 0..<recordingSeconds / tokenIntervalSeconds {
            var chunk = [Float](repeating: 0, count: PeerAir.sampleRateHertz * tokenIntervalSeconds)
            if index < signals.count {
                let signal = signals[index]
                let gain = PeerAir.peak / signal.reduce(0) { max($0, abs($1)) }
                for (place, sample) in zip(20_000..<chunk.count, signal) {
                    chunk[place] = gain * sample
                }
            }
            noise.add(to: &chunk, deviation: deviation)
            try writer.write(chunk)
        }
        try writer.finish()
    }

    private static func run(_ modem: PeerModem, path: String, tokens: [[UInt8]], runs: Int) throws -> Run {
        var seconds: [Double] = []
        var megabytes = 0.0
        var output: [UInt8] = []
        for _ in 0..<runs {
            let result = try MeasuredProgram(modem.decodeCommand(path))
            seconds.append(result.seconds)
            output = result.output
            megabytes = max(megabytes, result.peakMegabytes)
        }
        let found: Int
        let other: Int
        if modem.isChecked {
            // A line for each, with the payload in hexadecimal.
            let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
            let hex = tokens.map { $0.map { byte in String(format: "%02x", byte) }.joined() }
            found = hex.count { token in lines.contains { $0.contains(token) } }
            other = lines.count { line in !hex.contains { line.contains($0) } }
        } else {
            found = tokens.count { output.occurrenceCount(of: $0) > 0 }
            other = output.count - found * PeerAir.tokenByteCount
        }
        return Run(
            timesRealTime: Double(recordingSeconds) / seconds.sorted()[runs / 2], peakMegabytes: megabytes,
            tokensSent: tokens.count, tokensFound: found, other: other)
    }
}
