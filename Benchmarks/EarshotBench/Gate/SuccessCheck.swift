import EarshotLoopback

/// The share of tokens decoded at a point of the reference, by `ShareTest`.
struct SuccessCheck {
    /// A share fails a check if its probability, with nothing changed, is below this. At a knee such a share is 14
    /// points below the reference's, z = 4.75 deviations √(p(1 − p)(1/300 + 1/3,000)). With ten checks a run, one run
    /// in 100,000 fails by chance, and one series of 1,000 runs in a hundred.
    ///
    /// `gate --chances` reports for the reference of 2026-11-21, with 300 trials a point: if nothing has changed,
    /// a check fails with a probability below 3·10⁻⁷. A loss of 0.7 dB passes a profile's knee in white noise
    /// with a probability of 10⁻⁹. It fails the profile's inside point with 0.97 or more, room A's knee with 0.96
    /// and room B's with 0.89. Curves are less steep in rooms: their inside points notice losses of some
    /// decibels, and losses that occur in rooms only.
    static let level = 1e-6

    var point: SuccessReference.Point
    var reference: SuccessReference
    var trialCount: Int

    private var test: ShareTest {
        ShareTest(
            referenceCount: point.now.decodedCount, of: point.now.trialCount, trialCount: trialCount)
    }

    /// The minimum share that passes.
    var minimumShare: Double { Double(test.minimumCount(level: Self.level)) / Double(trialCount) }

    /// The probability that a run of this check fails: if nothing has changed (the reference's share is the true one),
    /// and if the receiver has lost the decibels that the gate must notice.
    var failureChances: (unchanged: Double, afterLoss: Double) {
        let minimum = test.minimumCount(level: Self.level)
        return (
            test.chanceOfFewer(than: minimum, share: point.now.share),
            test.chanceOfFewer(than: minimum, share: point.afterLoss.share)
        )
    }

    func run(seed: UInt64) throws -> GateCheck {
        let scene = try point.air.scene(snrDecibels: point.now.snrDecibels)
        let tally = try runTrials(scene, trialCount: trialCount, seed: derivedSeed(seed, point.title))
        let minimum = test.minimumCount(level: Self.level)
        let count = tally.decodedCount
        let found = "\(percent(tally.decodedShare)) (\(count) of \(trialCount))"
        let was = "\(percent(point.now.share)) (\(point.now.decodedCount) of \(point.now.trialCount))"
        var check = GateCheck(
            name: point.title, measured: found,
            wanted: "≥ \(percent(Double(minimum) / Double(trialCount))), was \(percent(point.now.share))",
            verdict: .passed)
        if tally.wrongCount + tally.duplicateCount > 0 {
            check.verdict = .failed
            check.measured += ", \(tally.wrongCount) wrong, \(tally.duplicateCount) repeated"
            check.explanation =
                "\(tally.wrongCount) wrong tokens and \(tally.duplicateCount) repeated ones in \(trialCount) trials of "
                + "\(point.title), where there must be none"
        }
        if count < minimum {
            check.verdict = .failed
            check.explanation =
                [
                    check.explanation,
                    "\(point.title) decodes \(found), and the reference \(was): \(loss(tally.decodedShare))",
                ]
                .compactMap { $0 }.joined(separator: "; ")
        } else if check.verdict == .passed, test.chanceOfAtLeast(count) < Self.level {
            check.verdict = .better
            check.explanation =
                "\(point.title) decodes \(found), and the reference \(was): better than the reference, record it anew: "
                + "earshot-bench gate --record"
        }
        return check
    }

    /// The meaning of a fallen share.
    private func loss(_ share: Double) -> String {
        let points = "\(decimal(100 * (point.now.share - share), 1)) points less"
        guard share > 0, share < 1, let snr = reference.snrDecibels(point.air, share: share) else {
            return points + ", more than the recorded curve shows"
        }
        return points + ", a loss of about \(decimal(max(point.now.snrDecibels - snr, 0), 1)) dB by the recorded curve"
    }
}
