import EarshotCoding

/// Which payload lengths the symbols behind a sync pattern may announce.
///
/// A token has no length header, so "token" is always one hypothesis. The header's six tones speak for another length
/// where their mean log-likelihood is far above what chance finds among 31 lengths.
struct LengthHypotheses {
    /// What the mean log-likelihood of the header's tones must reach.
    static let threshold: Float = 1.0

    /// The most likely length that is not a token's, or nil where none is likely.
    /// - Parameter metrics: prepared with at least the sync and header symbols.
    static func announcedByteCount(_ metrics: borrowing ToneMetrics, toneCount: Int) -> Int? {
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
        return bestSum >= threshold * Float(LengthHeader.toneCount) ? best : nil
    }
}
