import EarshotLoopback

/// The share of tokens decoded at a point of the reference, by `ShareTest`.
struct SuccessCheck {
    /// So unlikely must a share be, if nothing has changed, that a check fails. At a knee that is 14 points below the
    /// reference's share, z = 4.75 deviations √(p(1 − p)(1/300 + 1/3,000)). Ten checks a run: one run in 100,000 fails by
    /// chance, one series of 1,000 in a hundred.
    ///
    /// What `gate --chances` says of the reference of 2026-11-21, with 300 trials a point: where nothing has changed a check
    /// fails with a probability below 3·10⁻⁷. A loss of 0.7 dB fails each profile's knee in white noise with all but 10⁻⁹,
    /// its inside point with 0.97 and more; room A's knee with 0.96, room B's with 0.89. Curves are less steep in rooms: their
    /// inside points notice losses of some decibels, and what only rooms need.
    static let level = 1e-6

    var point: SuccessReference.Point
    var reference: SuccessReference
    var trialCount: Int

    private var test: ShareTest {
        ShareTest(
            referenceCount: point.now.decodedCount, of: point.now.trialCount, trialCount: trialCount)
    }

    /// The least share that passes.
    var leastShare: Double { Double(test.leastCount(level: Self.level)) / Double(trialCount) }

    /// How likely a run of this check fails, if nothing has changed (the reference's share is the true one), and if the
    /// receiver has become worse by the loss that must be noticed.
    var failureChances: (unchanged: Double, afterLoss: Double) {
        let least = test.leastCount(level: Self.level)
        return (
            test.chanceOfFewer(than: least, share: point.now.share),
            test.chanceOfFewer(than: least, share: point.afterLoss.share)
        )
    }

    func run(seed: UInt64) throws -> GateCheck {
        let scene = try point.air.scene(snrDecibels: point.now.snrDecibels)
        let tally = try runTrials(scene, trialCount: trialCount, seed: derivedSeed(seed, point.title))
        let least = test.leastCount(level: Self.level)
        let count = tally.decodedCount
        let found = "\(percent(tally.decodedShare)) (\(count) of \(trialCount))"
        let was = "\(percent(point.now.share)) (\(point.now.decodedCount) of \(point.now.trialCount))"
        var check = GateCheck(
            name: point.title, measured: found,
            wanted: "≥ \(percent(Double(least) / Double(trialCount))), was \(percent(point.now.share))",
            verdict: .passed)
        if tally.wrongCount + tally.duplicateCount > 0 {
            check.verdict = .failed
            check.measured += ", \(tally.wrongCount) wrong, \(tally.duplicateCount) repeated"
            check.explanation =
                "\(tally.wrongCount) wrong tokens and \(tally.duplicateCount) repeated ones in \(trialCount) trials of "
                + "\(point.title), where there must be none"
        }
        if count < least {
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

    /// What a share that fell means.
    private func loss(_ share: Double) -> String {
        let points = "\(decimal(100 * (point.now.share - share), 1)) points less"
        guard share > 0, share < 1, let snr = reference.snrDecibels(point.air, share: share) else {
            return points + ", more than the recorded curve shows"
        }
        return points + ", a loss of about \(decimal(max(point.now.snrDecibels - snr, 0), 1)) dB by the recorded curve"
    }
}
