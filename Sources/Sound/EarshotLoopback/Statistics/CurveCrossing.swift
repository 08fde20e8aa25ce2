import RealModule

/// The SNR at which a measured curve of success crosses a share, with its confidence interval.
///
/// 1. The shares are made to rise (`IsotonicRegression`, weighted by trials), because more signal is never harmful.
/// 2. Between the last point below and the first at or above the share, the curve is a straight line on the logit scale,
///    ln(p/(1 − p)). Shares of 0 and 1 count as half a trial: 1/2n and 1 − 1/2n.
/// 3. The same is done with the upper and the lower ends of the points' Wilson intervals. The curve of the upper ends gives the
///    lower end of the crossing's interval, that of the lower ends the upper end.
///
/// The interval is slightly wide: for a logistic true curve it contains the true value in 97 to 99 % of measurements,
/// for 50 to 1,000 trials a point, for 50 and 90 %, and from five points on the slope to hardly one.
package struct CurveCrossing: Sendable, Equatable {
    /// The successes at one SNR.
    package struct Point: Sendable, Equatable {
        /// The SNR in decibels.
        package let snrDecibels: Double
        /// 0 ... trialCount.
        package let successCount: Int
        /// The number of trials. A point without trials is ignored.
        package let trialCount: Int

        /// A measurement.
        package init(snrDecibels: Double, successCount: Int, trialCount: Int) {
            precondition((0...trialCount).contains(successCount), "\(successCount) successes of \(trialCount)")
            precondition(snrDecibels.isFinite, "an SNR of \(snrDecibels) dB lies on no curve")
            self.snrDecibels = snrDecibels
            self.successCount = successCount
            self.trialCount = trialCount
        }
    }

    /// The place of a crossing.
    package enum Place: Sendable, Equatable {
        /// At this SNR.
        case at(decibels: Double)
        /// The first point reaches the share already: at its SNR or below.
        case below(decibels: Double)
        /// No point reaches the share: above the last one's SNR, or nowhere.
        case above(decibels: Double)
    }

    /// The place of the crossing.
    package let place: Place
    /// The lower end of the 95 % interval; nil if it is below the first point, or above the last.
    package let lowDecibels: Double?
    /// The upper end of the 95 % interval; nil if it is above the last point, or below the first.
    package let highDecibels: Double?

    /// The SNR, if the curve crosses between points.
    package var snrDecibels: Double? {
        if case .at(let decibels) = place { decibels } else { nil }
    }

    /// Finds the crossing; nil without trials.
    /// - Parameters:
    ///   - share: above 0 and below 1.
    ///   - points: in any order. Those at the same SNR count as one.
    package init?(share: Double, points: [Point]) {
        precondition(share > 0 && share < 1, "a share of \(share) is no crossing")
        let curve = Curve(points)
        guard let first = curve.decibels.first, let last = curve.decibels.last else { return nil }
        let intervals = zip(curve.successes, curve.trials).map { BinomialInterval(successCount: $0, trialCount: $1) }
        let shares = zip(curve.successes, curve.trials).map { Double($0) / Double($1) }
        func crossing(_ values: [Double], margins: [Double]) -> Place {
            let inside = zip(values, margins).map { min(max($0, $1), 1 - $1) }
            let rising = IsotonicRegression.rising(inside, weights: curve.trials.map(Double.init))
            guard let next = rising.firstIndex(where: { $0 >= share }) else { return .above(decibels: last) }
            guard next > 0 else { return .below(decibels: first) }
            let (a, b) = (Self.logit(rising[next - 1]), Self.logit(rising[next]))
            let (left, right) = (curve.decibels[next - 1], curve.decibels[next])
            return .at(decibels: left + (Self.logit(share) - a) / (b - a) * (right - left))
        }
        func inside(_ values: [Double]) -> Double? {
            // The end of an interval keeps a distance from 0 and 1, even a small one.
            let place = crossing(values, margins: [Double](repeating: 1e-6, count: values.count))
            return if case .at(let decibels) = place { decibels } else { nil }
        }
        place = crossing(shares, margins: curve.trials.map { 0.5 / Double($0) })
        lowDecibels = inside(intervals.map(\.high))
        highDecibels = inside(intervals.map(\.low))
    }

    private static func logit(_ share: Double) -> Double { .log(share / (1 - share)) }

    /// The points in order of SNR, one for each SNR.
    private struct Curve {
        var decibels: [Double] = []
        var successes: [Int] = []
        var trials: [Int] = []

        init(_ points: [Point]) {
            for point in points.sorted(by: { $0.snrDecibels < $1.snrDecibels }) where point.trialCount > 0 {
                if decibels.last == point.snrDecibels {
                    successes[successes.count - 1] += point.successCount
                    trials[trials.count - 1] += point.trialCount
                } else {
                    decibels.append(point.snrDecibels)
                    successes.append(point.successCount)
                    trials.append(point.trialCount)
                }
            }
        }
    }
}
