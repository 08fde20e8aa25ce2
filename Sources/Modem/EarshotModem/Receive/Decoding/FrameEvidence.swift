/// The evidence for a decoded path, besides its CRC. 24 bits pass one wrong codeword in 16,777,216, and a receiver that
/// listens all day in a crowd makes many attempts.
///
/// With the earlier check of 16 bits the limits had to be tighter: 0.72 for the path share, 0.6 for the sync ratio,
/// 0.03, 0.01 and 0.15 for the margins. The figures for frames in free air date from that time; the limits are lower
/// because of crowds, rooms and holes.
///
/// No limit grows with the SNR if a part of the frame or of the band is weak: a person who walks between the devices, a
/// low-pass or a gate must not make a loud frame less plausible than a quiet one.
///
/// Lost tones do not count: sums and means are those of the other tones.
struct FrameEvidence {
    /// The minimum of the mean of ln(1 + E/N) over a frame's data tones: the best codeword in noise has 1.22 ± 0.06, a frame
    /// at the SNR at which half of them decode 1.55.
    static let minimumPathMetric: Float = 1.38
    /// The minimum of the decoded tones' likelihood over the loudest tones'. Single frames that decoded had 0.74 and
    /// more; in a crowd the loudest tone often belongs to another frame, and frames have 0.70 and less.
    static let minimumPathShare: Float = 0.62
    /// A path with this share needs no decoy test: the path of another codeword differs in several tones, so it cannot
    /// also contain nearly all of the loudest ones. The test costs as much as the decoding.
    static let clearPathShare: Float = 0.95
    /// The mean branch metric of noise is never above this.
    static let doubtfulFit: Float = 1.75
    /// The minimum margin of a fit over its decoy, as a share of itself: below `doubtfulFit`, and above. In noise the two
    /// differ by 0.01 (standard deviation) of themselves, which is the first margin; frames in white noise have 0.03 and more
    /// (2,000 that decoded, down to half a decibel below the 90 % point of that time). In the echoes of a room chance varies
    /// by 0.1, and one frame in fifty has less than 0.02: there the fit only has to be the better one.
    static let minimumDoubtfulMargin: Float = 0.01
    static let minimumMargin: Float = 0
    /// The mean likelihood of the sync tones over that of the data tones. 99.9 % of 6,000 whole frames that decoded had
    /// 0.64 to 1.43; in noise, whose candidates have sync tones that are loud by chance, it is 1.8 and more. The lower
    /// limit is for frames whose pattern was silenced for 100 ms: with 0.6 all of them were lost, now 60 of 60 decode.
    static let believableSyncRatios: ClosedRange<Float> = 0.25...1.5

    /// The same limits for coherent paths, whose single tones need not be loud. Half of the wrong ones have a path
    /// metric above 1.05, a path share above 0.54 and a sync ratio above 1.3; 95 % of the true ones have 1.2, 0.6, and
    /// 0.7 to 1.3.
    static let minimumCoherentPathMetric: Float = 1.1
    static let minimumCoherentPathShare: Float = 0.55
    static let coherentSyncRatios: ClosedRange<Float> = 0.4...1.4
    /// Their minimum margin over the decoy: half of the wrong ones have more than 0.1, 95 % of the true ones more than 0.05
    /// ... 0.3.
    static let minimumCoherentMargin: Float = 0.05

    /// The mean of L = ln(1 + E/N) over the decoded tones.
    var pathMetric: Float
    /// The sum of L over the decoded tones, divided by that over the loudest tones, 0 ... 1.
    var pathShare: Float
    /// The mean of L over the sync tones, divided by that over the data tones.
    var syncRatio: Float
    /// The mean energy of the decoded tones.
    var meanToneEnergy: Float

    /// Whether a CRC is worth checking.
    var isBelievable: Bool {
        pathMetric >= FrameEvidence.minimumPathMetric && pathShare >= FrameEvidence.minimumPathShare
            && FrameEvidence.believableSyncRatios.contains(syncRatio)
    }

    /// Whether the path contains nearly all of the loudest tones. A decoy differs in many tones, so it cannot.
    var isClear: Bool { pathShare >= FrameEvidence.clearPathShare }

    /// Whether a coherent path is plausible: a crowd causes several hundred attempts, and the CRC passes one in
    /// 16,777,216. These limits pass 98 % of the true paths and 15 % of the others (124 and 45,633 tail-biting paths in
    /// rooms and crowds).
    var isBelievableCoherent: Bool {
        pathMetric >= FrameEvidence.minimumCoherentPathMetric && pathShare >= FrameEvidence.minimumCoherentPathShare
            && FrameEvidence.coherentSyncRatios.contains(syncRatio)
    }

    /// The minimum margin of a path's fit over its decoy's, as a share of the fit.
    func minimumMarginOverDecoy(fit: Float) -> Float {
        fit < FrameEvidence.doubtfulFit ? FrameEvidence.minimumDoubtfulMargin : FrameEvidence.minimumMargin
    }
}
