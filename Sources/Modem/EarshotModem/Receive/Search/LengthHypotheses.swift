import EarshotCoding

/// The payload lengths that the symbols behind a sync pattern may announce.
///
/// A token has no length header, so "token" is always one hypothesis. The header's six tones announce another length if their
/// mean log-likelihood is far above what chance finds among 31 lengths, and not far below the sync tones'.
struct LengthHypotheses {
    /// The minimum of the mean log-likelihood of the header's tones.
    static let threshold: Float = 1.0
    /// Its minimum share of the sync tones' mean. A token's data tones resemble some header with about 0.4 of it.
    static let minimumShareOfSync: Float = 0.5

    /// The most likely length other than a token's; nil if none is likely.
    /// - Parameters:
    ///   - metrics: prepared with at least the sync and header symbols.
    ///   - profile: the profile of the frame.
    static func announcedByteCount(_ metrics: borrowing ToneMetrics, profile: Profile) -> Int? {
        let toneCount = profile.toneCount
        var syncSum: Float = 0
        for (symbol, tone) in profile.syncTones.enumerated() {
            syncSum += metrics.logLikelihood(symbol * toneCount + tone)
        }
        let syncMean = syncSum / Float(FrameLayout.syncToneCount)
        var best = 0
        var bestSum: Float = 0
        for byteCount in Payload.validCounts where byteCount != Payload.tokenCount {
            var sum: Float = 0
            for index in 0..<LengthHeader.toneCount {
                let tone = LengthHeader.tone(index, byteCount: byteCount, toneAlphabet: toneCount)
                sum += metrics.logLikelihood((FrameLayout.syncToneCount + index) * toneCount + tone)
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
