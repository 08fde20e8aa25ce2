import EarshotCoding
import RealModule

/// Corrects paths that failed their CRC: it estimates the channel from a path, decodes again with that estimate, and
/// repeats this with the result (`CoherentMetrics`).
///
/// It tries three hypotheses about a path's residual offset: the two highest peaks of J, and the offset of still
/// devices. The first round weights each tone by its probability, because most of a tentative path is right, and its
/// wrong tones are mostly improbable: at −10 dB (a prototype with 48 data tones and ideal detection) 81.5 → 86.5 % of
/// the frames, with three peaks 90 %. From the second round on all tones have equal weights.
///
/// Cost: each round needs seven FFTs of 256 points a symbol and a walk through the trellis, while a non-coherent
/// attempt needs one FFT of N points; so `Effort` limits them. No allocation after `init`.
struct IterativeDecoder: ~Copyable {
    /// The effort of the decoder.
    struct Effort {
        /// The number of paths to correct, in the order in which they were stored.
        let pathCount: Int
        /// The maximum number of rounds for each hypothesis; a hypothesis ends when its tones stay the same.
        let roundCount: Int
        /// The number of hypotheses about the residual offset of a doubtful path.
        var hypothesisCount = IterativeDecoder.peakCount

        /// For a place that is likely noise: decodes as many frames as the effort for plausible ones, in 135 instead of
        /// 180 ms for ten minutes of noise.
        static let doubtful = Effort(pathCount: 1, roundCount: 4)
        /// For a plausible frame. Four paths instead of two: `standard`, room C, −2 dB, 93.7 → 95 %. Six instead of
        /// four: ten talkers 93.5 → 94.5 %; eight: 94.8 %, and twelve 71 → 76 %, for 50 % more time.
        static let plausible = Effort(pathCount: 6, roundCount: 5)
        /// For a pattern that is likely a chance match with another frame's tones.
        static let none = Effort(pathCount: 0, roundCount: 0)
        /// For a frame while the budget of decoding work is scarce: of 66 paths that were corrected in crowds, rooms
        /// and noise, 46 were the first path with its highest peak, within four rounds. It costs a tenth of the effort
        /// for plausible frames.
        static let brief = Effort(pathCount: 1, roundCount: 4, hypothesisCount: 1)
        /// From this sync ratio on a pattern is hardly by chance. A frame at the 90 % point has 15 ± 4.
        static let minimumSyncLogRatio: Float = 3
        /// From this Λ on a frame is plausible. One at the 90 % point has 33 ± 11.
        static let plausibleLogRatio: Float = 18

        /// A plausible frame with this dominance needs no sync ratio: in a crowd the tones beside the pattern's belong
        /// to other talkers. Twelve talkers: 48 % with the limit for all frames, 58 % without it. Below this dominance
        /// most patterns come from one loud frame's tones: without a limit half a minute of `fast` tokens in silence
        /// took 1.2 s of one core.
        static let minimumInterferedDominance: Float = 0.7

        /// The increase of noise's sync ratio with each doubling of the channels, because the shares are fitted to it.
        static let syncLogRatioPerDoubling: Float = 1

        /// The effort for a frame with this Λ, sync ratio and dominance, heard by `channelCount` channels.
        static func worth(logRatio: Float, syncLogRatio: Float, dominance: Float, channelCount: Int = 1) -> Effort {
            let isPattern = syncLogRatio >= minimumSyncLogRatio + syncLogRatioPerDoubling * .log2(Float(channelCount))
            if logRatio >= plausibleLogRatio {
                return isPattern || dominance >= minimumInterferedDominance ? .plausible : .none
            }
            return isPattern ? .doubtful : .none
        }
    }

    /// The number of hypotheses about the residual offset. Six are no better than three.
    private static let peakCount = 3
    /// The number of paths for which several offsets are tried: the others repeat their result.
    private static let doubtedPathCount = 2

    /// Residual offsets closer than this are one hypothesis: a token's 52 symbols turn by a tenth between them, at most.
    private static let equalOffsetSpacings: Float = 0.002

    private let likelihood: FrameLikelihood
    /// The residual offset of each hypothesis about a path.
    private var triedHertz = InlineArray<3, Float>(repeating: .infinity)
    /// The data tones of the stored paths, one path after the other.
    private var pathTones: [UInt8] = []
    private var places: [Candidate] = []
    private var tones: [Int]
    private var weights: [Float]

    init(likelihood: FrameLikelihood) {
        self.likelihood = likelihood
        pathTones.reserveCapacity(Effort.plausible.pathCount * FrameLayout.longest.dataToneCount)
        places.reserveCapacity(Effort.plausible.pathCount)
        tones = [Int](repeating: 0, count: FrameLayout.longest.toneCount)
        weights = [Float](repeating: 0, count: FrameLayout.longest.toneCount)
    }

    /// Forgets the paths of another frame.
    mutating func begin() {
        pathTones.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    /// Stores the last path, if enough of the frame is held.
    mutating func note(_ path: borrowing TrellisAttempt, _ view: FrameView) {
        guard places.count < Effort.plausible.pathCount, path.isHeld(view.layout), !isNoted(path, view) else { return }
        places.append(view.place)
        for step in 0..<view.layout.dataToneCount {
            pathTones.append(path.trellis.tones[step])
        }
    }

    /// Whether a path with the same tones is stored. Its start may differ, but not its channel: the estimate covers all
    /// delays.
    private func isNoted(_ path: borrowing TrellisAttempt, _ view: FrameView) -> Bool {
        let count = view.layout.dataToneCount
        for index in places.indices where places[index].offsetHertz == view.place.offsetHertz {
            var isSame = true
            for step in 0..<count where pathTones[index * count + step] != path.trellis.tones[step] {
                isSame = false
            }
            if isSame { return true }
        }
        return false
    }

    /// Corrects the stored paths, until one of them decodes.
    mutating func decode(
        _ view: FrameView, _ effort: Effort, with path: inout TrellisAttempt, _ coherent: inout CoherentMetrics,
        _ measurer: inout FrameMeasurer
    ) -> PathResult {
        var paths = PathResult.none
        for index in 0..<min(places.count, effort.pathCount) {
            let view = view.at(places[index])
            paths.work += path.prepare(view, &measurer)
            triedHertz = InlineArray(repeating: .infinity)
            for rank in 0..<(index < IterativeDecoder.doubtedPathCount ? effort.hypothesisCount : 1) {
                makeTones(pathTones, from: index * view.layout.dataToneCount, view.layout, view.profile)
                weigh(path, view.layout, view.profile)
                let mended = mend(view, rank: rank, effort.roundCount, with: &path, &coherent, &measurer)
                if paths.add(mended) { return paths }
            }
        }
        return paths
    }

    /// Repeats the steps from tones to a channel estimate to tones, until the tones decode or stay the same.
    /// - Parameters:
    ///   - view: the frame.
    ///   - rank: the peak of J that the first round follows.
    ///   - roundCount: the maximum number of rounds.
    ///   - path: makes the attempts.
    ///   - coherent: estimates the channel.
    ///   - measurer: measures the frame.
    private mutating func mend(
        _ view: FrameView, rank: Int, _ roundCount: Int, with path: inout TrellisAttempt,
        _ coherent: inout CoherentMetrics, _ measurer: inout FrameMeasurer
    ) -> PathResult {
        let (symbolCount, noise) = (view.layout.toneCount, path.metrics.commonNoise)
        var (view, paths) = (view, PathResult.none)
        for round in 0..<roundCount {
            let pointCount = symbolCount * coherent.transformLength * measurer.histories.count
            paths.work += DecodingWork.coherentPoint * pointCount
            coherent.correlate(view, tones: tones, weights: weights, noise: noise, measurer)
            let isStill = round == 0 && rank == IterativeDecoder.peakCount - 1
            guard
                let remainingHertz = coherent.remainingHertz(
                    rank: round == 0 ? rank : 0, stillHertz: isStill ? -view.place.offsetHertz : nil)
            else { break }
            if round == 0 {
                guard !isTried(remainingHertz, before: rank, view.profile) else { break }
                triedHertz[rank] = remainingHertz
            }
            let estimate = coherent.estimate(symbolCount: symbolCount, offsetHertz: remainingHertz, noise: noise)
            if paths.add(path.decodeCoherently(view, tones, estimate, &coherent, &measurer)) { break }
            view.place.offsetHertz += remainingHertz
            guard makeTones(path.trellis.tones, from: 0, view.layout, view.profile) else { break }
            for symbol in 0..<symbolCount {
                weights[symbol] = 1
            }
        }
        return paths
    }

    /// Whether a hypothesis of lower rank has this residual offset too. A peak of J is often the one of still devices.
    private func isTried(_ offsetHertz: Float, before rank: Int, _ profile: Profile) -> Bool {
        for other in 0..<rank {
            let spacings = abs(triedHertz[other] - offsetHertz) / Float(profile.toneSpacingHertz)
            if spacings < IterativeDecoder.equalOffsetSpacings { return true }
        }
        return false
    }

    /// Computes the frame's tones from the data tones of a path.
    /// - Returns: whether they changed.
    @discardableResult
    private mutating func makeTones(
        _ dataTones: [UInt8], from first: Int, _ layout: FrameLayout, _ profile: Profile
    ) -> Bool {
        for (index, tone) in profile.syncTones.enumerated() {
            tones[FrameLayout.syncPlace(index)] = tone
        }
        for index in 0..<layout.headerToneCount {
            tones[FrameLayout.headerPlace(index)] = LengthHeader.tone(
                index, byteCount: layout.payloadByteCount, toneAlphabet: profile.toneCount)
        }
        var hasChanged = false
        for step in 0..<layout.dataToneCount {
            let (symbol, tone) = (layout.dataPlace(step), Int(dataTones[first + step]))
            hasChanged = hasChanged || tones[symbol] != tone
            tones[symbol] = tone
        }
        return hasChanged
    }

    /// Weights each tone by its probability; those of the sync pattern and the header are known.
    private mutating func weigh(_ path: borrowing TrellisAttempt, _ layout: FrameLayout, _ profile: Profile) {
        for symbol in 0..<layout.toneCount { weights[symbol] = 1 }
        for step in 0..<layout.dataToneCount {
            let symbol = layout.dataPlace(step)
            weights[symbol] = likelihood.posterior(
                path.energies, inverseNoise: path.metrics.inverses, toneCount: profile.toneCount, symbol: symbol,
                tone: tones[symbol])
        }
    }
}
