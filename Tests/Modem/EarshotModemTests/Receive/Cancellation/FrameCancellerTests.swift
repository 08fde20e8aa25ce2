import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// The residual of a cancelled frame, and the frames that are masked instead.
@Suite(.optimized) struct FrameCancellerTests {
    private static let profile = Profile.standard
    private static let start = 600.0

    /// Two frames at once: the one to cancel and another, `otherDecibels` louder.
    private func scene(otherDecibels: Double?, seed: UInt64) -> (
        scene: BasebandScene, rest: BasebandScene, tones: [Int]
    ) {
        let tones = FrameTones.tones(of: .token(seed: seed), profile: Self.profile)
        var rest = BasebandScene(count: 6_000, snrDecibels: 30, seed: seed)
        if let otherDecibels {
            rest.add(
                FrameTones.tones(of: .token(seed: seed + 500), profile: Self.profile), Self.profile,
                start: Self.start + 900, offsetHertz: -7,
                gain: ComplexSample(Float(powerRatio(decibels: otherDecibels / 2)), 0))
        }
        var scene = rest
        // Two paths and an offset of 1.5 Hz that decoding did not see.
        scene.add(tones, Self.profile, start: Self.start + 2.6, offsetHertz: 31.5, gain: ComplexSample(0.8, 0.3))
        scene.add(tones, Self.profile, start: Self.start + 21, offsetHertz: 31.5, gain: ComplexSample(-0.2, 0.3))
        return (scene, rest, tones)
    }

    private func frame(_ history: BasebandHistory) -> MeasuredFrame {
        .token(Self.profile, start: Self.start, offsetHertz: 30, in: history)
    }

    /// Cancels a frame beside another one that is 20 dB weaker: less than −25 dB of the frame remains. The fit's 248
    /// taps also remove a share of everything else, 248 of 3,300 samples' degrees of freedom: −31 dB of the other frame
    /// at −20 dB. A drift of 0.01 turns that is tolerated leaves −35 dB.
    @Test(arguments: [UInt64(1), 2, 3]) func takesTheFrameAway(seed: UInt64) throws {
        let (scene, rest, tones) = scene(otherDecibels: -20, seed: seed)
        let history = scene.history
        var canceller = FrameCanceller(profiles: [Self.profile])
        let candidate = frame(history)
        let outcome = canceller.cancel(candidate.view, tones, &candidate.measurer).outcome
        guard case .cancelled(let changed) = outcome else {
            Issue.record("\(outcome), seed \(seed)")
            return
        }
        let range = 700..<3_800
        let left = range.reduce(0.0) { sum, index in
            sum + history.withSamples(from: index, count: 1) { Double(($0[0] - rest.samples[index]).power) }
        }
        let frame = range.reduce(0.0) { $0 + Double((scene.samples[$1] - rest.samples[$1]).power) }
        #expect(decibels(left / frame) < -25, "\(decibels(left / frame)) dB, seed \(seed)")
        // The range that changed holds the frame.
        #expect(changed.lowerBound <= 603 && changed.upperBound >= 603 + 52 * 63)
    }

    /// A lone frame is not cancelled. ResidualDetector has one false alarm in 20, and five in ten frames, which fail
    /// the test, have a probability of 252·0.05⁵ = 8·10⁻⁵.
    @Test func aLoneFrameStays() {
        var cancelledCount = 0
        for seed in UInt64(1)...10 {
            let tones = FrameTones.tones(of: .token(seed: seed), profile: Self.profile)
            var scene = BasebandScene(count: 6_000, snrDecibels: 30, seed: seed)
            scene.add(tones, Self.profile, start: Self.start, offsetHertz: 30)
            var canceller = FrameCanceller(profiles: [Self.profile])
            let candidate = frame(scene.history)
            let outcome = canceller.cancel(candidate.view, tones, &candidate.measurer).outcome
            if case .cameAlone = outcome { continue }
            cancelledCount += 1
        }
        #expect(cancelledCount < 5, "\(cancelledCount) of 10, seeds 1 to 10")
    }

    /// More frames at one time exceed the budget: `CancellationBudget` allows 24.
    @Test func theBudgetIsKept() {
        let (scene, _, tones) = scene(otherDecibels: 0, seed: 4)
        let history = scene.history
        var canceller = FrameCanceller(profiles: [Self.profile])
        for number in 1...26 {
            let candidate = frame(history)
            let outcome = canceller.cancel(candidate.view, tones, &candidate.measurer).outcome
            switch outcome {
            case .cancelled: #expect(number <= 24, "frame \(number)")
            case .budgetExhausted: #expect(number > 24, "frame \(number)")
            case .cameAlone: Issue.record("frame \(number)")
            }
        }
    }

    /// The frame is cancelled in each channel along the channel's own paths; a silent channel stays silent.
    @Test func everyChannelIsCancelled() throws {
        let (first, second) = (scene(otherDecibels: -20, seed: 5), scene(otherDecibels: -20, seed: 6))
        let silent = BasebandHistory(keptCount: first.scene.samples.count + 4_096)
        silent.append(first.scene.samples.map { $0 * 0 }, 0..<first.scene.samples.count)
        // The second channel has the first one's frame, turned by a quarter and half as loud.
        let other = BasebandHistory(keptCount: first.scene.samples.count + 4_096)
        let samples = first.scene.samples.indices.map { index in
            (first.scene.samples[index] - first.rest.samples[index]).times(ComplexSample(0, 0.5))
                + second.rest.samples[index]
        }
        other.append(samples, 0..<samples.count)
        let history = first.scene.history
        let candidate = MeasuredFrame.token(
            Self.profile, start: Self.start, offsetHertz: 30, weights: [1, 1, 0, 0, 0, 0, 0, 0],
            in: [history, other, silent])
        var canceller = FrameCanceller(profiles: [Self.profile])
        let outcome = canceller.cancel(candidate.view, first.tones, &candidate.measurer).outcome
        guard case .cancelled = outcome else {
            Issue.record("\(outcome), seeds 5 and 6")
            return
        }
        let range = 700..<3_800
        for (history, rest, scale) in [(history, first.rest, 1.0), (other, second.rest, 0.25)] {
            let left = range.reduce(0.0) { sum, index in
                sum + history.withSamples(from: index, count: 1) { Double(($0[0] - rest.samples[index]).power) }
            }
            let frame = range.reduce(0.0) {
                $0 + scale * Double((first.scene.samples[$1] - first.rest.samples[$1]).power)
            }
            #expect(decibels(left / frame) < -20, "\(decibels(left / frame)) dB, seeds 5 and 6")
        }
        let silence = silent.withSamples(from: 0, count: samples.count) { x in
            x.indices.reduce(Float(0)) { $0 + x[$1].power }
        }
        #expect(silence == 0)
    }
}
