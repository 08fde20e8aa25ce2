import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// Whether there is a burst, where, and which of its frames are there.
@Suite(.optimized) struct RepeatDetectionTests {
    private func detection() -> RepeatDetection {
        RepeatDetection(
            profiles: [BurstScene.profile], repeatCount: BurstScene.repeatCount,
            likelihood: FrameLikelihood(designRatio: 2.1))
    }

    private func detect(_ detection: inout RepeatDetection, _ frame: MeasuredFrame) -> BurstDetection? {
        var inverseNoises = [Float](repeating: 0, count: BurstScene.repeatCount * BurstScene.profile.toneCount)
        return detection.detect(frame.view, &frame.measurer, inverseNoises: &inverseNoises)
    }

    private func frame(_ history: BasebandHistory, start: Double, offsetHertz: Float) -> MeasuredFrame {
        .token(BurstScene.profile, start: start, offsetHertz: offsetHertz, in: history)
    }

    /// The search's grid is a quarter symbol and half a spacing wide, so a place is up to 8 samples and 12 Hz off. At
    /// −10 dB detection moves it to within a twelfth of a symbol and of a spacing, and each frame counts.
    @Test(arguments: [(0, 0), (8, 0), (-8, 0), (0, 11), (0, -11), (-6, 8)] as [(Double, Float)])
    func aBurstIsPlaced(samples: Double, hertz: Float) throws {
        let history = BurstScene.history(.token(seed: 31), snrDecibels: -10, seed: 31, offsetHertz: -40)
        var detection = detection()
        let found = try #require(
            detect(&detection, frame(history, start: BurstScene.start + samples, offsetHertz: -40 + hertz)), "seed 31")
        let view = found.view
        #expect(abs(view.place.start - BurstScene.start) < 5.4, "\(view.place.start), seed 31")
        #expect(abs(view.place.offsetHertz + 40) < 3.9, "\(view.place.offsetHertz) Hz, seed 31")
        let weights = (0..<4).map { found.weight($0) }
        #expect(weights.allSatisfy { $0 > 0.99 }, "\(weights), seed 31")
    }

    /// If a burst lacks a frame, the other three are found and count in full. At −6 dB noise in place of
    /// the missing one weighs more than 0.5 in 25 % of the cases (198 of 800, seeds from 90,000 on); 22 or
    /// more of 40 have a probability of 4·10⁻⁵.
    @Test func aMissingFrameCountsLess() throws {
        var heavyCount = 0
        for trial in 0..<40 {
            let (missing, seed) = (trial % 4, UInt64(320 + trial))
            let history = BurstScene.history(
                .token(seed: seed), snrDecibels: -6, seed: seed, present: (0..<4).filter { $0 != missing })
            var detection = detection()
            let found = try #require(
                detect(&detection, frame(history, start: BurstScene.start, offsetHertz: 0)), "seed \(seed)")
            let weights = (0..<4).map { found.weight($0) }
            heavyCount += weights[missing] > 0.5 ? 1 : 0
            #expect(weights.count { $0 > 0.99 } >= 3, "\(weights), seed \(seed)")
        }
        #expect(heavyCount <= 21, "\(heavyCount) of 40, seeds from 320 on")
    }

    /// A receiver that joins halfway, or a burst of two: with ε = 0.0025 two missing frames cost 12, and at −12 dB about half of such bursts are
    /// found (65 of 120; the limit is 4 σ below). With 0.000025 they cost 21, and 32 are found.
    @Test func halfABurstIsFound() {
        var foundCount = 0
        for seed in UInt64(400)..<520 {
            let history = BurstScene.history(
                .token(seed: seed), snrDecibels: -12, seed: seed, present: seed % 2 == 0 ? [0, 1] : [2, 3])
            var detection = detection()
            if detect(&detection, frame(history, start: BurstScene.start, offsetHertz: 0)) != nil { foundCount += 1 }
        }
        #expect(foundCount >= 44, "\(foundCount) of 120, seeds from 400 on")
    }

    /// By Markov's inequality noise has Λ of 3 at no more than one place in 20, and its sync symbols must
    /// also reach 6: e^6 = 403. With 39 looks around each of 40 places fewer than 40·39/403 = 4 are expected;
    /// more than 12 have a probability below 10⁻⁴.
    @Test func noiseIsNoBurst() {
        let history = BurstScene.history(.token(seed: 33), snrDecibels: 0, seed: 33, present: [])
        var detection = detection()
        var count = 0
        for index in 0..<40 {
            if detect(&detection, frame(history, start: 100 + Double(40 * index), offsetHertz: 0)) != nil { count += 1 }
        }
        #expect(count <= 12, "\(count) of 40, seed 33")
    }
}
