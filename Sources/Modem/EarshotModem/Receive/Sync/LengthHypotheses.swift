import EarshotCoding

/// The payload lengths that the symbols within a sync pattern may announce.
///
/// A token has no length header, so "token" is always one hypothesis. The header's six tones announce another length if their
/// mean log-likelihood is far above what chance finds among 31 lengths, and not far below the sync tones'.
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
        var best = 0
        var bestSum: Float = 0
        for byteCount in Payload.validCounts where byteCount != Payload.tokenCount {
            var sum: Float = 0
            for index in 0..<LengthHeader.toneCount {
                let tone = LengthHeader.tone(index, byteCount: byteCount, toneAlphabet: toneCount)
                sum += metrics.logLikelihood(FrameLayout.headerPlace(index) * toneCount + tone)
            }
            if sum > bestSum {
                bestSum = sum
                best = byteCount
            }
        }
        let minimum = max(threshold, minimumShareOfSync * syncMean)
        return bestSum >= minimum * Float(LengthHeader.toneCount) ? best : nil
    }
}
