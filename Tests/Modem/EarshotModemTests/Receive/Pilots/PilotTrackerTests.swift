import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// The residual of a known tone.
@Suite(.optimized) struct PilotTrackerTests {
    private static let quantum = BasebandFormat.quantum

    /// The samples of a tone from index `first` on.
    private func tone(_ cyclesPerSample: Double, amplitude: Double = 1, from first: Int, count: Int) -> [ComplexSample]
    {
        (first..<first + count).map { n in
            let turns = (cyclesPerSample * Double(n)).truncatingRemainder(dividingBy: 1)
            return ComplexSample(
                Float(amplitude * .cos(2 * .pi * turns)), Float(amplitude * .sin(2 * .pi * turns)))
        }
    }

    private func tracker(_ cyclesPerSample: Double, power: Float = 1e-6) -> PilotTracker {
        PilotTracker(
            PilotEstimate(
                cyclesPerSample: cyclesPerSample, amplitude: ComplexSample(1, 0), powerLeft: power, isSteady: true),
            sampleCount: PilotEstimator.sampleCount)
    }

    /// Removes the tone from the next quantum.
    /// - Returns: the mean power left.
    private func follow(_ tracker: inout PilotTracker, _ x: [ComplexSample]) -> Double {
        var y = x
        var span = y.mutableSpan
        tracker.remove(from: &span)
        tracker.listen(to: y.span)
        tracker.finishQuantum()
        return y.reduce(0) { $0 + Double($1.power) } / Double(y.count)
    }

    /// Only the rounding of single precision remains of an exactly known tone: the phasor's error grows by 32 steps of
    /// 6e-8, to 2e-6 of the amplitude, less than −100 dB.
    @Test(arguments: [-0.2, 0.0113, 0.25]) func aKnownToneIsGone(cyclesPerSample: Double) {
        var tracker = tracker(cyclesPerSample)
        for quantum in 0..<200 {
            let first = PilotEstimator.sampleCount + quantum * Self.quantum
            let left = follow(&tracker, tone(cyclesPerSample, from: first, count: Self.quantum))
            #expect(left < 1e-10, "quantum \(quantum): \(left)")
        }
        #expect(tracker.isThere)
    }

    /// The tracker learns a frequency error of 0.3 Hz: after a second less than −40 dB is left.
    @Test func aSmallErrorIsLearned() {
        let cyclesPerSample = 0.05
        var tracker = tracker(cyclesPerSample + 0.3 / 3_000, power: 1e-3)
        var left = 1.0
        for quantum in 0..<94 {
            let first = PilotEstimator.sampleCount + quantum * Self.quantum
            left = follow(&tracker, tone(cyclesPerSample, from: first, count: Self.quantum))
        }
        #expect(left < 1e-4, "\(left)")
        #expect(abs(tracker.cyclesPerSample - cyclesPerSample) < 0.02 / 3_000)
    }

    /// The tracker lets go of a tone that stops. It averages the powers with and without the tone over eight quanta, so
    /// (7/8)^k of the power without it must fall below twice the power that the tracker adds: within 4 to 12 quanta.
    @Test func aToneThatStopsIsLetGo() {
        var tracker = tracker(0.05)
        for quantum in 0..<20 {
            _ = follow(
                &tracker, tone(0.05, from: PilotEstimator.sampleCount + quantum * Self.quantum, count: Self.quantum))
        }
        var count = 0
        while tracker.isThere, count < 40 {
            _ = follow(&tracker, [ComplexSample](repeating: ComplexSample(), count: Self.quantum))
            count += 1
        }
        #expect((3...12).contains(count), "\(count) quanta")
    }

    /// Lost samples keep the phase: the tracker still removes the tone after a hole of any length.
    @Test(arguments: [1, 5, 31, 32, 1_000]) func aHoleKeepsThePhase(quantumCount: Int) {
        var tracker = tracker(0.0871)
        for _ in 0..<quantumCount {
            tracker.skip(Self.quantum)
            tracker.finishQuantum()
        }
        let first = PilotEstimator.sampleCount + quantumCount * Self.quantum
        // Turns are in double precision; 1,000 quanta add 1,000 roundings.
        #expect(follow(&tracker, tone(0.0871, from: first, count: Self.quantum)) < 1e-8)
    }

    /// Restoring undoes a removal.
    @Test func restoringUndoesARemoval() {
        var tracker = tracker(0.11)
        let x = tone(0.11, amplitude: 0.7, from: PilotEstimator.sampleCount, count: Self.quantum)
        var y = x
        var span = y.mutableSpan
        tracker.remove(from: &span)
        tracker.skip(Self.quantum)
        tracker.finishQuantum()
        var removed = y.mutableSpan
        tracker.restore(to: &removed)
        #expect(zip(x, y).allSatisfy { ($0 - $1).power < 1e-10 })
    }
}
