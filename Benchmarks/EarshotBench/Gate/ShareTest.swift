import Foundation

/// Tests whether two shares may be the same, with one side of Fisher's exact test.
///
/// Of n + N trials, n now and N for the reference, k + K succeeded. If nothing has changed, every choice of the successful ones
/// is equally likely, so
///
///     P(at most k now) = Σ_{i ≤ k} C(n, i)·C(N, k + K − i) / C(n + N, k + K)
///
/// The formula needs no approximation, not even close to 0 or 1, and includes the chance in the reference itself. In
/// the middle of the range, with shares p, it amounts to a margin of z·√(p(1 − p)(1/n + 1/N)), z = 4.8 for 10⁻⁶.
///
/// Source: Fisher, The logic of inductive inference, J. R. Statist. Soc. 98 (1935).
struct ShareTest {
    /// N and K.
    let referenceTrialCount: Int
    let referenceCount: Int
    /// n.
    let trialCount: Int
    private let logFactorials: [Double]

    init(referenceCount: Int, of referenceTrialCount: Int, trialCount: Int) {
        self.referenceTrialCount = referenceTrialCount
        self.referenceCount = referenceCount
        self.trialCount = trialCount
        var sum = 0.0
        logFactorials =
            [0]
            + (1...trialCount + referenceTrialCount).map {
                sum += log(Double($0))
                return sum
            }
    }

    /// The probability of at most `count` successes if nothing has changed.
    func chanceOfAtMost(_ count: Int) -> Double {
        tail(0...count, successCount: count + referenceCount)
    }

    /// The probability of at least `count` successes if nothing has changed.
    func chanceOfAtLeast(_ count: Int) -> Double {
        tail(count...trialCount, successCount: count + referenceCount)
    }

    /// The minimum number of successes that chance can explain, with `chanceOfAtMost` above `level`.
    func minimumCount(level: Double) -> Int {
        var (low, high) = (0, trialCount)
        while low < high {
            let middle = (low + high) / 2
            if chanceOfAtMost(middle) > level { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The probability of fewer than `count` successes if each trial succeeds with `share`.
    func chanceOfFewer(than count: Int, share: Double) -> Double {
        guard share > 0, share < 1 else { return share <= 0 && count > 0 ? 1 : 0 }
        return (0..<count).reduce(0) { sum, i in
            sum + exp(logChoose(trialCount, i) + Double(i) * log(share) + Double(trialCount - i) * log1p(-share))
        }
    }

    private func tail(_ counts: ClosedRange<Int>, successCount: Int) -> Double {
        let all = logChoose(trialCount + referenceTrialCount, successCount)
        return counts.reduce(0) { sum, i in
            guard (0...referenceTrialCount).contains(successCount - i) else { return sum }
            return sum + exp(logChoose(trialCount, i) + logChoose(referenceTrialCount, successCount - i) - all)
        }
    }

    private func logChoose(_ n: Int, _ k: Int) -> Double {
        logFactorials[n] - logFactorials[k] - logFactorials[n - k]
    }
}
