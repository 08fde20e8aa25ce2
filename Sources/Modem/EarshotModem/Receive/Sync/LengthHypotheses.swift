import EarshotCoding
import RealModule

/// The payload lengths that the symbols within a sync pattern may announce.
///
/// A token has no length header, so "token" is always one hypothesis. The header's six tones announce another length if their
/// mean log-likelihood is far above what chance finds among 31 lengths, and not far below the sync tones'. Where the offset changes within
/// the sync pattern, these tones are beside their places: then the second rule reads them, from likelihoods along all paths
/// (`MotionSearch`).
struct LengthHypotheses {
    /// The minimum of the mean log-likelihood of the header's tones. In noise the best of 31 lengths has about 1. The noise here is the
    /// median of the preamble's symbols: of 17 it is 4 % too high, and of 14, with which 1.0 was found, 16 %, so a tone has 0.07 more.
    static let threshold: Float = 1.07
    /// Its minimum share of the sync tones' mean. A token's data tones resemble some header with about 0.4 of it.
    static let minimumShareOfSync: Float = 0.5

    /// The most likely length other than a token's; nil if none is likely.
    /// - Parameters:
    ///   - metrics: prepared with at least the sync and header symbols.
    ///   - profile: the profile of the frame.
    static func announcedByteCount(_ metrics: borrowing ToneMetrics, profile: Profile) -> Int? {
        let toneCount = profile.toneCount
        var syncSum: Float = 0
        for (index, tone) in profile.syncTones.enumerated() {
            syncSum += metrics.logLikelihood(FrameLayout.syncPlace(index) * toneCount + tone)
        }
        let syncMean = syncSum / Float(FrameLayout.syncToneCount)
        let best = likeliest(toneCount: toneCount) { index, tone in
            metrics.logLikelihood(FrameLayout.headerPlace(index) * toneCount + tone)
        }
        let minimum = max(threshold, minimumShareOfSync * syncMean)
        return best.sum >= minimum * Float(LengthHeader.toneCount) ? best.byteCount : nil
    }

    /// The minimum of ln R. By chance the data tones of one token in e⁷/31 = 35 announce a length, which costs a useless attempt. In a
    /// hand, `far` with 1 and 32 bytes decodes the same with 5, 7 and 9 (seed 7001).
    static let minimumLogRatio: Float = 7

    /// The most likely length other than a token's, whatever the offsets of the header's tones; nil if none is likely.
    ///
    ///     ln R = Σᵢ (λ[i][tone[i]] − ln(1/M·Σₘ exp λ[i][m]))
    ///
    /// R says how much likelier the header's tones are than any tones.
    /// - Parameters:
    ///   - metrics: λ; shape [LengthHeader.toneCount][M].
    ///   - toneCount: M.
    static func announcedByteCount(_ metrics: [Float], toneCount: Int) -> Int? {
        let best = likeliest(toneCount: toneCount) { index, tone in metrics[index * toneCount + tone] }
        var anySum: Float = 0
        for first in stride(from: 0, to: LengthHeader.toneCount * toneCount, by: toneCount) {
            var sum: Float = 0
            for index in first..<first + toneCount { sum += .exp(metrics[index]) }
            anySum += .log(sum / Float(toneCount))
        }
        return best.sum - anySum >= minimumLogRatio ? best.byteCount : nil
    }

    /// The length other than a token's whose header has the greatest sum of log-likelihoods, and that sum.
    /// - Parameter logLikelihood: of a tone at an index of the header.
    private static func likeliest(
        toneCount: Int, _ logLikelihood: (_ index: Int, _ tone: Int) -> Float
    ) -> (byteCount: Int, sum: Float) {
        var best = (byteCount: 0, sum: -Float.infinity)
        for byteCount in Payload.validCounts where byteCount != Payload.tokenCount {
            var sum: Float = 0
            for index in 0..<LengthHeader.toneCount {
                sum += logLikelihood(index, LengthHeader.tone(index, byteCount: byteCount, toneAlphabet: toneCount))
            }
            if sum > best.sum { best = (byteCount, sum) }
        }
        return best
    }
}
