import EarshotAudio
import EarshotChannel
import EarshotCoding
import EarshotModem

/// Noise with regular tokens at 0 dB SNR.
struct Traffic: Sendable {
    var name: String
    /// The length of a period, and the frames that start in it.
    private var periodSeconds: Int
    private var frames: [(profile: Profile, startSeconds: Double)]

    static let noise = Traffic(name: "noise", periodSeconds: 10, frames: [])
    static let tokenEveryTenSeconds = Traffic(
        name: "a token every 10 s", periodSeconds: 10, frames: [(.standard, 0.4)])
    static let all = [
        noise, tokenEveryTenSeconds,
        Traffic(name: "a token every 2 s", periodSeconds: 2, frames: [(.standard, 0.4)]),
        // One after another, without more than a tenth of a second between them.
        Traffic(
            name: "`far`, `standard` and `fast` in turns, without a pause", periodSeconds: 4,
            frames: [(.far, 0.1), (.standard, 2.2), (.fast, 3.3)]),
    ]

    /// The number of tokens in `seconds` of it.
    func tokenCount(seconds: Int) -> Int { seconds / periodSeconds * frames.count }

    /// One period without noise; every token is another.
    private func period(_ number: Int) throws -> [Float] {
        var samples = [Float](repeating: 0, count: 48_000 * periodSeconds)
        for (index, frame) in frames.enumerated() {
            let payload = try Payload((0..<8).map { UInt8(truncatingIfNeeded: 31 * number + 7 * index + 53 * $0) })
            let token = try Transmitter(profile: frame.profile, sampleRateHertz: 48_000).samples(
                payload, amplitude: 0.01)
            let start = Int(frame.startSeconds * 48_000)
            for offset in token.indices {
                samples[start + offset] += token[offset]
            }
        }
        return samples
    }

    /// Calls `body` with one period after another.
    private func forEachPeriod(seconds: Int, _ body: ([Float]) throws -> Void) throws {
        var noise = WhiteNoise(seed: 21)
        let deviation = WhiteNoise.deviation(amplitude: 0.01, snrDecibels: 0, sampleRateHertz: 48_000)
        for number in 0..<seconds / periodSeconds {
            var samples = try period(number)
            noise.add(to: &samples, deviation: deviation)
            try body(samples)
        }
    }

    /// All samples of it.
    func samples(seconds: Int) throws -> [Float] {
        var all: [Float] = []
        all.reserveCapacity(48_000 * seconds)
        try forEachPeriod(seconds: seconds) { all += $0 }
        return all
    }

    /// Writes it to a WAV file, the same in every channel.
    /// - Returns: the number of tokens in it.
    func write(_ path: String, seconds: Int, channelCount: Int = 1) throws -> Int {
        var writer = try WAVWriter(path: path, sampleRateHertz: 48_000, channelCount: channelCount, format: .s16)
        try forEachPeriod(seconds: seconds) { samples in
            try writer.write(
                channelCount == 1 ? samples : samples.flatMap { [Float](repeating: $0, count: channelCount) })
        }
        try writer.finish()
        return tokenCount(seconds: seconds) * channelCount
    }
}
