import EarshotBasics
import EarshotChannel
import EarshotCoding
package import EarshotModem

/// Regular tokens in white noise or in digital silence.
package struct Traffic: Sendable {
    /// A frame in each period.
    private struct Frame {
        var profile = Profile.standard
        var startSeconds: Double
    }

    package var name: String
    /// The signal-to-noise ratio of a token. Without tokens, that of the other recordings' tokens; nil for silence.
    private var snrDecibels: Double? = 0
    /// The length of a period, and the frames that start in it.
    private var periodSeconds: Int
    private var frames: [Frame]
    /// The maximum deviation of the clock of a frame, as a share; 0 sends the samples as they are.
    private var clockSpread = 0.0

    /// The peak of a token: ten talkers do not clip, and the noise at 60 dB is 4.6 steps of 16 bits.
    private static let amplitude: Float = 0.05

    package static let noise = Traffic(name: "noise", periodSeconds: 10, frames: [])
    /// A token every `seconds`.
    package static func tokenEvery(
        _ seconds: Int, snrDecibels: Double?, profile: Profile = .standard
    ) -> Traffic {
        let air = snrDecibels.map { "\(DecimalText.short($0)) dB" } ?? "digital silence"
        return Traffic(
            name: "a token every \(seconds) s, \(air)", snrDecibels: snrDecibels, periodSeconds: seconds,
            frames: [Frame(profile: profile, startSeconds: 0.4)])
    }
    /// One after another, without more than a tenth of a second between them.
    package static let turns = Traffic(
        name: "`far`, `standard` and `fast` in turns, without a pause, 0 dB", periodSeconds: 4,
        frames: [
            Frame(profile: .far, startSeconds: 0.1), Frame(startSeconds: 2.2),
            Frame(profile: .fast, startSeconds: 3.3),
        ])

    /// `fast` tokens that follow each other within two hundredths of a second, in digital silence.
    package static func fastBackToBack() throws -> Traffic {
        let seconds = try duration(of: .fast)
        let count = Int(10 / seconds)
        return Traffic(
            name: "`fast` back to back, digital silence", snrDecibels: nil, periodSeconds: 10,
            frames: (0..<count).map { Frame(profile: .fast, startSeconds: 10 * Double($0) / Double(count)) })
    }

    /// Ten talkers as in `crowd-10`: equally loud, clocks ±100 ppm; each sends `standard` tokens with pauses up to a tenth of a
    /// second.
    package static func tenTalkers() throws -> Traffic {
        let (period, seconds) = (60, try duration(of: .standard))
        var generator = SeededGenerator(seed: 10)
        var frames: [Frame] = []
        for _ in 0..<10 {
            var start = 1.2 * Double(generator.uniform())
            while start + 1.01 * seconds < Double(period) {
                frames.append(Frame(startSeconds: start))
                start += seconds + 0.1 * Double(generator.uniform())
            }
        }
        return Traffic(
            name: "ten talkers, `standard`, without a pause, 15 dB", snrDecibels: 15, periodSeconds: period,
            frames: frames, clockSpread: 100e-6)
    }

    private static func duration(of profile: Profile) throws -> Double {
        let payload = try Payload([UInt8](repeating: 0, count: Payload.tokenCount))
        return Double(try Transmitter(profile: profile, sampleRateHertz: 48_000).samples(payload).count) / 48_000
    }

    /// The number of tokens in `seconds` of it.
    package func tokenCount(seconds: Int) -> Int { seconds / periodSeconds * frames.count }

    /// One period without noise; every token differs.
    private func period(_ number: Int, sampleRateHertz: Int) throws -> [Float] {
        var samples = [Float](repeating: 0, count: sampleRateHertz * periodSeconds)
        var generator = SeededGenerator(seed: UInt64(number))
        for (index, frame) in frames.enumerated() {
            let payload = try Payload((0..<8).map { UInt8(truncatingIfNeeded: 31 * number + 7 * index + 53 * $0) })
            var token = try Transmitter(profile: frame.profile, sampleRateHertz: sampleRateHertz).samples(
                payload, amplitude: Self.amplitude)
            if clockSpread > 0 {
                let offset = clockSpread * (2 * Double(generator.uniform()) - 1)
                var warped = Warped(
                    StoredSound(token),
                    .steady(relativeOffset: offset, fractionalDelay: Double(generator.uniform())))
                token = warped.readAll()
            }
            let start = Int(frame.startSeconds * Double(sampleRateHertz))
            for offset in token.indices where start + offset < samples.count {
                samples[start + offset] += token[offset]
            }
        }
        return samples
    }

    /// Calls `body` with one period after another.
    package func forEachPeriod(seconds: Int, sampleRateHertz: Int, _ body: ([Float]) throws -> Void) throws {
        var noise = WhiteNoise(seed: 21)
        let deviation = snrDecibels.map {
            WhiteNoise.deviation(amplitude: Self.amplitude, snrDecibels: $0, sampleRateHertz: sampleRateHertz)
        }
        for number in 0..<seconds / periodSeconds {
            var samples = try period(number, sampleRateHertz: sampleRateHertz)
            if let deviation { noise.add(to: &samples, deviation: deviation) }
            try body(samples)
        }
    }

    /// All samples of it, at 48 kHz.
    package func samples(seconds: Int) throws -> [Float] {
        var all: [Float] = []
        all.reserveCapacity(48_000 * seconds)
        try forEachPeriod(seconds: seconds, sampleRateHertz: 48_000) { all += $0 }
        return all
    }
}
