import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotLoopback
import EarshotModem
import RealModule
import TestSupport
import Testing

/// Several talkers at once: the receiver cancels each frame that it decodes, and then decodes the frames that it hid.
@Suite(.optimized) struct CancellationTests {
    /// A channel of `earshot simulate`, an SNR, and the share of trials that lose a talker.
    struct Row: Sendable, CustomTestStringConvertible {
        var channel: String
        var snrDecibels: Double
        var lostShare: Double
        var testDescription: String { "\(channel) at \(snrDecibels) dB" }

        /// Frames of one trial fail together and trials are independent, so the test counts trials. Of 300 trials,
        /// seeds from 5,000,011 on, 0 (near-far-20, crowd-4), 2, 6, 7 and 30 lost a talker; `lostShare` is the upper
        /// end of that share's 95 % interval.
        ///
        /// Without cancellation 33 to 63 % of the frames decode (30 trials), and hardly ever all frames of a trial.
        static let all = [
            Row(channel: "near-far-20", snrDecibels: 30, lostShare: 0.010),
            Row(channel: "near-far-30", snrDecibels: 40, lostShare: 0.021),
            Row(channel: "crowd-4", snrDecibels: 15, lostShare: 0.010),
            Row(channel: "crowd-8", snrDecibels: 15, lostShare: 0.039),
            Row(channel: "crowd-4-room-a", snrDecibels: 15, lostShare: 0.043),
            Row(channel: "crowd-3-room-b", snrDecibels: 20, lostShare: 0.133),
        ]

        /// The smallest k so that more than k of n trials lose a talker with a probability of less than 10⁻⁴:
        ///
        ///     1 − Σ_{j ≤ k} C(n, j)·q^j·(1 − q)^(n − j) < 10⁻⁴
        ///
        /// where q is `lostShare`. It is 4, 5, 4, 6, 6 and 11 of 25, and 2, 3, 2, 4, 4 and 6 of 8.
        func largestLostCount(of n: Int) -> Int {
            let q = lostShare
            var term = Double.pow(1 - q, n)
            var sum = term
            var k = 0
            while 1 - sum >= 1e-4 {
                term *= Double(n - k) / Double(k + 1) * q / (1 - q)
                k += 1
                sum += term
            }
            return k
        }
    }

    @Test(arguments: Row.all)
    func bringsToLightWhatWasHidden(_ row: Row) throws {
        var scene = AirScene()
        scene.air = try #require(AirPreset.named(row.channel)).air
        scene.snrDecibels = row.snrDecibels
        let prepared = try PreparedScene(scene)
        let trialCount = TestLength.count(8, long: 25)
        let outcomes = try (0..<trialCount).map { try prepared.run(seed: 3 + 0x1_0001 * UInt64($0)) }
        let lostCount = outcomes.count { $0.decodedCount != $0.payloads.count }
        #expect(lostCount <= row.largestLostCount(of: trialCount), "\(lostCount) of \(trialCount), seed 3")
        #expect(outcomes.allSatisfy { $0.wrongCount == 0 && $0.duplicateCount == 0 }, "seed 3")
    }

    /// A `fast` token under a `standard` one 15 dB louder: profiles cancel each other too.
    @Test func profilesCancelEachOther() throws {
        let loud = try Payload(hex: "0123456789abcdef")
        let quiet = try Payload(hex: "fedcba9876543210")
        var air = [Float](repeating: 0, count: 48_000 * 3)
        var noise = WhiteNoise(seed: 21)
        noise.add(to: &air, deviation: 0.004)
        for (payload, profile, amplitude, start) in [
            (loud, Profile.standard, Float(0.4), 20_000),
            (quiet, .fast, 0.4 * Float(powerRatio(decibels: -7.5)), 40_001),
        ] {
            let frame = try Transmitter(profile: profile, sampleRateHertz: 48_000).samples(
                payload, amplitude: amplitude)
            for index in frame.indices {
                air[start + index] += frame[index]
            }
        }
        let (frames, statistics) = try CancellationTests.receive(air) { air.count }
        #expect(Set(frames.map(\.payload)) == [loud, quiet])
        #expect(frames.count == 2)
        #expect(statistics.cancelledFrames >= 1)
    }

    /// If no other frame is there, nothing is cancelled, and a lone token costs no more than without cancellation.
    /// `ResidualDetector` says so for 95 % of lone frames in white noise, so it fails for more than 6 of 20 with a
    /// probability of Σ C(20, j)·0.05^j·0.95^(20 − j) = 3·10⁻⁵.
    @Test func aLoneTokenIsNotCancelled() throws {
        var cancelledCount = 0
        for seed in UInt64(1)...20 {
            let (air, payload, _) = try AirScene().sound(seed: seed)
            let (frames, statistics) = try CancellationTests.receive(air) { air.count }
            #expect(frames.map(\.payload) == [payload], "seed \(seed)")
            cancelledCount += statistics.cancelledFrames
        }
        #expect(cancelledCount <= 6, "\(cancelledCount) of 20, seeds 1 to 20")
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func doesNotDependOnTheBlocks(seed: UInt64) throws {
        var scene = AirScene()
        scene.air = try #require(AirPreset.named("crowd-6")).air
        scene.snrDecibels = 15
        let air = try scene.sound(seed: seed).samples
        let (whole, wholeStatistics) = try CancellationTests.receive(air) { air.count }
        #expect(wholeStatistics.cancelledFrames > 0)
        var generator = SeededGenerator(seed: seed)
        let (pieces, statistics) = try CancellationTests.receive(air) { Int.random(in: 1...3_000, using: &generator) }
        #expect(pieces == whole)
        #expect(statistics == wholeStatistics)
    }

    private static func receive(
        _ samples: [Float], count: () -> Int
    ) throws -> (frames: [ReceivedFrame], statistics: ReceiverStatistics) {
        var receiver = try Receiver(sampleRateHertz: 48_000)
        var frames: [ReceivedFrame] = []
        var first = 0
        while first < samples.count {
            let end = min(first + count(), samples.count)
            receiver.push(samples.span.extracting(first..<end)) { frames.append($0) }
            first = end
        }
        receiver.flush { frames.append($0) }
        return (frames, receiver.statistics)
    }
}
