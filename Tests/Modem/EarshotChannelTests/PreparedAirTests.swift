import EarshotChannel
import TestSupport
import Testing

/// The stages that `PreparedAir` places itself.
@Suite(.optimized) struct PreparedAirTests {
    private static let tone = (0..<24_000).map { Float($0 % 2) }

    /// The runs of two or more zeros, as ranges of frames.
    private func silences(in samples: [Float]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for (index, sample) in samples.enumerated() where sample == 0 {
            if let last = runs.last, last.upperBound == index {
                runs[runs.count - 1] = last.lowerBound..<index + 1
            } else {
                runs.append(index..<index + 1)
            }
        }
        return runs.filter { $0.count > 1 }
    }

    /// There is one silence of the requested length within the signal, the same in all
    /// microphones. Each seed puts it elsewhere.
    @Test(arguments: [48_000, 44_100]) func aDropoutLiesWithinTheSignal(receiverRate: Int) throws {
        var air = Air()
        air.dropoutSeconds = 0.1
        air.receiverRateHertz = receiverRate
        air.microphones = .row(2, spacingMetres: 0.1)
        var starts: [Int] = []
        for seed in UInt64(1)...20 {
            var sound = PreparedAir(air, sampleRateHertz: 48_000).sound(
                of: [Self.tone], amplitude: 0.25, snrDecibels: 20, seed: seed)
            let (start, samples) = (sound.startSamples[0], sound.readAll())
            let channels = (0..<2).map { channel in
                silences(in: stride(from: channel, to: samples.count, by: 2).map { samples[$0] })
            }
            #expect(channels[0] == channels[1] && channels[0].count == 1, "seed \(seed)")
            let silence = try #require(channels[0].first)
            #expect(abs(silence.count - receiverRate / 10) <= 2, "seed \(seed)")
            let signal = start - 1...start + receiverRate / 2 + 2
            #expect(signal.contains(silence.lowerBound) && signal.contains(silence.upperBound), "seed \(seed)")
            starts.append(silence.lowerBound - start)
        }
        // Of sets of 20 places in 0.4 s, one in 300 has none in the first quarter, and one in 300 none in the last.
        #expect((starts.min() ?? 0) < receiverRate / 10 && (starts.max() ?? 0) > receiverRate * 3 / 10, "\(starts)")
    }

    /// The sound outside a dropout is the same as without one, because the dropout draws
    /// no random number of another stage.
    @Test func aDropoutChangesNothingElse() {
        var air = Air()
        func samples() -> [Float] {
            var sound = PreparedAir(air, sampleRateHertz: 48_000).sound(
                of: [Self.tone], amplitude: 0.25, snrDecibels: 20, seed: 3)
            return sound.readAll()
        }
        let whole = samples()
        air.dropoutSeconds = 0.1
        let differences = zip(whole, samples()).filter { $0 != $1 }
        #expect(differences.count >= 4_700 && differences.allSatisfy { $0.1 == 0 })
    }

    /// A late talker is silent for 0.1 s, and its noise does not change. A recording that
    /// begins late equals the rest of a full one.
    @Test func aStartIsMissing() throws {
        var air = Air()
        func sound(_ snr: Double = 200) -> (start: Int, samples: [Float]) {
            var sound = PreparedAir(air, sampleRateHertz: 48_000).sound(
                of: [Self.tone], amplitude: 0.25, snrDecibels: snr, seed: 4)
            return (sound.startSamples[0], sound.readAll())
        }
        let (start, whole) = sound()
        let loud = try #require(whole.firstIndex { abs($0) > 0.01 })
        air.cutStartSeconds = 0.1
        let cut = sound()
        #expect(cut.start == start)
        let later = try #require(cut.samples.firstIndex { abs($0) > 0.01 })
        // The start is at a fraction of a sample, and its interpolation rings before and after it.
        #expect(abs(later - loud - 4_800) <= 40)
        #expect(zip(whole, cut.samples).dropFirst(later + 200).allSatisfy { abs($0 - $1) < 1e-6 })

        (air.cutStartSeconds, air.lateStartSeconds) = (nil, 0.1)
        let late = sound()
        #expect(late.start == -4_800)
        #expect(late.samples == Array(whole.dropFirst(start + 4_800)))
    }

    /// A sweep has the requested level. Each seed gives it another period and place. At
    /// 44.1 kHz it ends at half the rate.
    @Test(arguments: [48_000, 44_100]) func aSweepIsAsLoudAsAsked(rate: Int) {
        var air = Air()
        air.sweep = AirSweep(levelDecibels: 20)
        var sounds: [[Float]] = []
        for seed in UInt64(1)...10 {
            var sound = PreparedAir(air, sampleRateHertz: rate).sound(
                of: [[Float](repeating: 0, count: rate / 2)], amplitude: 0.01, snrDecibels: 80, seed: seed)
            sounds.append(sound.readAll())
        }
        for (index, samples) in sounds.enumerated() {
            // A sine of amplitude 0.1: 20 dB above 0.01. The noise is 80 dB below the signal.
            let power = samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count)
            #expect(abs(power / 0.005 - 1) < 0.02, "\(power), seed \(index + 1)")
            #expect(sounds[..<index].allSatisfy { $0 != samples }, "seed \(index + 1)")
        }
    }
}
