import EarshotBasics
import EarshotChannel
import EarshotLoopback
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct CurveCrossingTests {
    private typealias Point = CurveCrossing.Point

    private func points(_ rows: [(Double, Int)], trials: Int = 100) -> [CurveCrossing.Point] {
        rows.map { CurveCrossing.Point(snrDecibels: $0.0, successCount: $0.1, trialCount: trials) }
    }

    /// logit 0.2 = −1.3863, logit 0.5 = 0, logit 0.9 = 2.1972: 1.3863/(1.3863 + 2.1972) = 0.38686 of the way.
    @Test func theLogitIsStraight() throws {
        let measured = points([(-8, 90), (-10, 20), (-6, 100), (-12, 0)])
        let half = try #require(CurveCrossing(share: 0.5, points: measured)?.snrDecibels)
        #expect(abs(half - (-10 + 2 * 0.38686)) < 1e-4)
        let most = try #require(CurveCrossing(share: 0.9, points: measured)?.snrDecibels)
        #expect(abs(most - -8) < 1e-12)
        // 0 counts as half of one in 100, logit 0.005 = −5.2933, logit 0.1 = −2.1972: 3.0961/(5.2933 − 1.3863) = 0.79245.
        let few = try #require(CurveCrossing(share: 0.1, points: measured)?.snrDecibels)
        #expect(abs(few - (-12 + 2 * 0.79245)) < 1e-4)
    }

    /// The ends are the crossings of the curves of Wilson's ends; with two points, each is worked by hand.
    /// 40 in 100: 0.3094 ... 0.4980, 60 in 100: 0.5020 ... 0.6906; logit: −0.8028, −0.0080, 0.0080, 0.8028.
    @Test func theIntervalIsWilsons() throws {
        let crossing = try #require(CurveCrossing(share: 0.5, points: points([(0, 40), (1, 60)])))
        #expect(crossing.snrDecibels.map { abs($0 - 0.5) < 1e-12 } == true)
        #expect(crossing.lowDecibels.map { abs($0 - 0.0080 / 0.8108) < 5e-4 } == true)
        #expect(crossing.highDecibels.map { abs($0 - 0.8028 / 0.8108) < 5e-4 } == true)
    }

    /// 60, 40 becomes 50, 50; a third point with twice the trials has twice the weight.
    @Test func fallingSharesArePooled() throws {
        let pooled = try #require(
            CurveCrossing(share: 0.75, points: points([(0, 10), (1, 60), (2, 40), (3, 90)])))
        let level = try #require(CurveCrossing(share: 0.75, points: points([(0, 10), (1, 50), (2, 50), (3, 90)])))
        #expect(pooled.snrDecibels == level.snrDecibels)
        let heavy = [
            Point(snrDecibels: 0, successCount: 90, trialCount: 100),
            Point(snrDecibels: 1, successCount: 60, trialCount: 200),
            Point(snrDecibels: 2, successCount: 100, trialCount: 100),
        ]
        #expect(CurveCrossing(share: 0.49, points: heavy)?.place == .below(decibels: 0))
        #expect(CurveCrossing(share: 0.51, points: heavy)?.snrDecibels.map { $0 > 1 && $0 < 2 } == true)
    }

    @Test func aMissingCrossingIsReported() throws {
        let measured = points([(-3, 80), (-2, 88), (-1, 85)])
        let below = try #require(CurveCrossing(share: 0.5, points: measured))
        #expect(below.place == .below(decibels: -3))
        #expect(below.snrDecibels == nil && below.lowDecibels == nil && below.highDecibels == nil)
        let above = try #require(CurveCrossing(share: 0.9, points: measured))
        #expect(above.place == .above(decibels: -1))
        // With 88 and 85 in 100 the true share may be 90 %.
        #expect(above.lowDecibels.map { $0 > -3 && $0 < -1 } == true && above.highDecibels == nil)
        #expect(CurveCrossing(share: 0.9, points: []) == nil)
        #expect(CurveCrossing(share: 0.9, points: points([(0, 0)], trials: 0)) == nil)
    }

    @Test func trialsAtTheSameSNRAdd() {
        let split = points([(0, 30), (0, 10), (1, 90)]) + points([(1, 70)])
        let whole = points([(0, 40), (1, 160)], trials: 200)
        #expect(CurveCrossing(share: 0.5, points: split) == CurveCrossing(share: 0.5, points: whole))
    }

    /// 400 measurements of p = 1/(1 + e^{−SNR/s}) at random points. The interval promises 95 %. Measured were 97
    /// to 99 %, and the share of 400 then never falls below 95 % (3 deviations of 0.7 % from 97). Too wide an
    /// interval would hold that promise too: its mean width was 0.18, 0.31, 0.34 and 0.04 dB, and 15 % more is
    /// allowed. The mean error is less than four times its own deviation, a width/5/√400, and a tenth of a width
    /// if there is hardly a point on the slope.
    @Test(arguments: [
        (0.3, 0.5, 200, 0.5, 0.177), (0.3, 0.5, 200, 0.9, 0.311), (0.15, 1, 200, 0.9, 0.337),
        (0.15, 0.25, 1_000, 0.5, 0.039),
    ])
    func theIntervalHoldsTheTruth(
        row: (scaleDecibels: Double, stepDecibels: Double, trials: Int, share: Double, widthDecibels: Double)
    ) throws {
        var generator = SeededGenerator(seed: 17)
        let truth = row.scaleDecibels * .log(row.share / (1 - row.share))
        var (held, error, width) = (0, 0.0, 0.0)
        for _ in 0..<400 {
            let start = -4 + row.stepDecibels * Double(generator.uniform())
            let measured = stride(from: start, through: 4, by: row.stepDecibels).map { decibels in
                let share = Float(1 / (1 + Double.exp(-decibels / row.scaleDecibels)))
                return Point(
                    snrDecibels: decibels, successCount: (0..<row.trials).count { _ in generator.uniform() < share },
                    trialCount: row.trials)
            }
            let crossing = try #require(CurveCrossing(share: row.share, points: measured))
            let (low, high) = (try #require(crossing.lowDecibels), try #require(crossing.highDecibels))
            let value = try #require(crossing.snrDecibels)
            #expect(low <= value && value <= high)
            held += low <= truth && truth <= high ? 1 : 0
            error += (value - truth) / 400
            width += (high - low) / 400
        }
        #expect(held >= 380)
        #expect(width < 1.15 * row.widthDecibels)
        #expect(abs(error) < 0.1 * row.widthDecibels)
    }
}
