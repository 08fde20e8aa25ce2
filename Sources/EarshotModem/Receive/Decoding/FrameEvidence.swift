/// What speaks for a decoded path, besides its CRC: 24 bits pass one wrong codeword in 16,777,216, and a receiver that
/// listens all day in a crowd makes many tries. With the check of 16 bits that came before, the limits had to be tighter: 0.72
/// for the path share, 0.6 for the sync ratio, 0.03, 0.01 and 0.15 for the margins. What a frame in free air has is known from
/// that time; the limits lie below it for the sake of crowds, rooms and holes.
///
/// Tones that were lost say nothing: sums and means are those of the others.
struct FrameEvidence {
    /// What the mean of ln(1 + E/N) over a frame's data tones must reach to be believed: the best codeword in noise has
    /// 1.22 ± 0.06, a frame at the SNR where half of them decode 1.55.
    static let minimumPathMetric: Float = 1.38
    /// What the decoded tones' likelihood must be of the loudest tones'. Frames that decoded alone had 0.74 and more; in
    /// a crowd the loudest tone is often another's, and frames have 0.70 and less.
    static let minimumPathShare: Float = 0.62
    /// From this share on no decoy is asked: a path of another codeword, which differs in several tones at least, cannot go
    /// through nearly all of the loudest ones as well. Asking costs as much as the decoding did.
    static let clearPathShare: Float = 0.95
    /// A mean branch metric above this is not noise's.
    static let doubtfulFit: Float = 1.75
    /// By what share a fit must beat its decoy where it may be noise's, and elsewhere. In noise the two differ by 0.01
    /// (standard deviation) of themselves, and the first margin asks for as much; frames in white noise
    /// have 0.03 and more (2,000 that decoded, down to half a decibel below what was then the 90 % point). In the echoes of
    /// a room chance varies by 0.1 and one frame in fifty has less than 0.02: there no more is asked than to be the better.
    static let minimumDoubtfulMargin: Float = 0.01
    static let minimumMargin: Float = 0
    /// How unsteady the decoded tones' energies may be (see `unsteadiness`), and how much more margin over the
    /// decoy unsteady ones need. Of frames that decoded 99 % had less than 0.7 (0.95 with a tilt of 20 dB over the band);
    /// of what the trellis makes of music and speech half has more than 1.3. These two rules took what passes of music
    /// from 22 % to 3 %, and 1 % of frames in rooms at the edge of decoding, when the margin was 0.15.
    static let maximumUnsteadiness: Float = 1.1
    static let harmlessUnsteadiness: Float = 0.35
    static let marginForUnsteadiness: Float = 0.05
    /// The mean likelihood of the sync tones over that of the data tones. 99.9 % of 6,000 whole frames that decoded had 0.64
    /// to 1.43; in noise, where a candidate is one because its sync tones happen to be loud, it is 1.8 and more. The lower
    /// limit is for frames whose pattern was silenced for 100 ms: with 0.6 all of them were lost, now 60 of 60 decode.
    static let believableSyncRatios: ClosedRange<Float> = 0.25...1.5

    /// The same for coherent paths, whose tones need not be loud by themselves. Half of the wrong ones have a path metric
    /// above 1.05, a path share above 0.54, a sync ratio above 1.3; of the true ones 95 % have 1.2, 0.6, and 0.7 to 1.3.
    static let minimumMendedPathMetric: Float = 1.1
    static let minimumMendedPathShare: Float = 0.55
    static let mendedSyncRatios: ClosedRange<Float> = 0.4...1.4
    static let maximumMendedUnsteadiness: Float = 0.5
    /// Their margin over the decoy: half of the wrong ones have more than 0.1, of the true ones 95 % more than 0.05 ... 0.3.
    static let minimumMendedMargin: Float = 0.05

    /// The decoded tones' mean of L = ln(1 + E/N).
    var pathMetric: Float
    /// The decoded tones' L over the loudest tones'.
    var pathShare: Float
    /// The sync tones' mean L over the data tones'.
    var syncRatio: Float
    /// ln(mean of 1 + E/N) − mean of ln(1 + E/N) over the decoded tones but the loudest tenth: 0 where all are equally loud,
    /// as a transmitter makes them; Rayleigh fading makes it 0.4.
    var unsteadiness: Float
    /// The mean energy of the decoded tones.
    var meanToneEnergy: Float

    /// Whether a CRC is worth looking at.
    var isBelievable: Bool {
        pathMetric >= FrameEvidence.minimumPathMetric && pathShare >= FrameEvidence.minimumPathShare
            && FrameEvidence.believableSyncRatios.contains(syncRatio)
            && unsteadiness <= FrameEvidence.maximumUnsteadiness
    }

    /// Whether the path goes through nearly all of the loudest tones: a decoy, which differs from every codeword in many
    /// tones, cannot do so too.
    var isClear: Bool { pathShare >= FrameEvidence.clearPathShare }

    /// Whether a frame's coherent path is worth believing: several hundred are tried in a crowd, and the CRC passes one in
    /// 16,777,216. Of the true ones these limits and the margin leave 94 %, of the others 10 % (330 and 5,850 paths in white noise,
    /// rooms and crowds).
    var isBelievableMended: Bool {
        pathMetric >= FrameEvidence.minimumMendedPathMetric && pathShare >= FrameEvidence.minimumMendedPathShare
            && FrameEvidence.mendedSyncRatios.contains(syncRatio)
            && unsteadiness <= FrameEvidence.maximumMendedUnsteadiness
    }

    /// By what share of itself a path's fit must beat its decoy's.
    func minimumMarginOverDecoy(fit: Float) -> Float {
        let minimum =
            fit < FrameEvidence.doubtfulFit ? FrameEvidence.minimumDoubtfulMargin : FrameEvidence.minimumMargin
        let excess = max(unsteadiness - FrameEvidence.harmlessUnsteadiness, 0)
        return minimum + FrameEvidence.marginForUnsteadiness * excess
    }
}
