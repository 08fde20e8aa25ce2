import EarshotCoding

/// Decodes candidates: it orders the attempts and decides the effort for each candidate.
///
/// 1. `FrameDetection`: is there a frame, and at which exact place?
/// 2. `TrellisAttempt`: several sampling instants and metrics compete, the cheapest and likeliest first; the CRC
///    decides, and `FrameEvidence` must agree. The first attempt also shows whether there is anything to decode: if
///    neither the sync pattern nor the best codeword's fit exceeds those of noise, the decoder stops.
/// 3. `MotionSearch`: again along changing offsets.
/// 4. `IterativeDecoder`: the paths so far give a channel estimate, which gives better paths. It costs ten times as
///    much as all the rest, and often the disturbance is another frame that is decoded a moment later. So the first
///    time the decoder returns `disturbed` instead.
/// 5. All steps again, assuming that nothing moves.
struct FrameDecoder: ~Copyable {
    /// The sampling instants to try, in symbols after the candidate's own, likeliest first. The last two are for rooms whose
    /// echo is so loud that the search took it for the direct sound: `fast`, room B, 25 dB, five instants 92 %, seven 95 %.
    private static let instants: InlineArray<7, Double> = [0, 0.25, -0.25, 0.5, -0.5, -0.75, -1]
    /// A candidate with a score above this gets all attempts. In noise one place in 3·10¹¹ has it (the sum of eight
    /// ln(1 + x), x exponentially distributed), and one in 700 has the 8.65 that candidates need.
    private static let loudScore: Float = 14
    /// Echo weights below this make no difference: they concern at most a twentieth of a tone's own likelihood.
    private static let minimumEchoWeight: Float = 0.05
    /// A room may cause an apparent offset of this many tone spacings in a still device; smaller ones make no
    /// difference. `fast`, room B, 25 dB: trying zero too, 78 → 86 %.
    private static let forgettableOffsetSpacings: ClosedRange<Float> = 0.08...0.6

    private var detection: FrameDetection
    private var path: TrellisAttempt
    private var iterations: IterativeDecoder
    private var motion: MotionSearch
    private var headerMetrics: [Float]
    /// One of each for each profile.
    private var tracks: OwnedList<MotionTrack>
    private var coherents: OwnedList<CoherentMetrics>
    private var stills: OwnedList<StillDecoder>

    /// A decoder of frames of these profiles in `channelCount` channels.
    init(profiles: [Profile], channelCount: Int = 1) {
        let likelihood = FrameLikelihood()
        detection = FrameDetection(profiles: profiles, likelihood: likelihood)
        path = TrellisAttempt(profiles: profiles)
        iterations = IterativeDecoder(likelihood: likelihood)
        motion = MotionSearch(profiles: profiles, likelihood: likelihood)
        headerMetrics = [Float](
            repeating: 0, count: LengthHeader.toneCount * (profiles.map { $0.toneCount }.max() ?? 0))
        tracks = OwnedList(count: profiles.count) { MotionTrack(format: BasebandFormat(profile: profiles[$0])) }
        stills = OwnedList(count: profiles.count) {
            StillDecoder(format: BasebandFormat(profile: profiles[$0]), likelihood: likelihood)
        }
        coherents = OwnedList(count: profiles.count) {
            CoherentMetrics(format: BasebandFormat(profile: profiles[$0]), channelCount: channelCount)
        }
    }

    /// Tries to decode a frame.
    /// - Parameters:
    ///   - view: the frame at its candidate's place.
    ///   - profileIndex: the index of its profile.
    ///   - measurer: measures frames of its profile.
    ///   - mayWait: whether the receiver can try the frame again later, if other frames disturb it.
    ///   - isBrief: whether the iterative decoder tries only the most promising hypothesis; see
    ///     `IterativeDecoder.Effort.brief`.
    mutating func decode(
        _ view: FrameView, profileIndex: Int = 0, _ measurer: inout FrameMeasurer, mayWait: Bool, isBrief: Bool = false
    ) -> (outcome: DecodingOutcome, work: DecodingWork) {
        let first = decodeNear(view, profileIndex, &measurer, mayWait: mayWait, isBrief: isBrief)
        // A room shifts the loudest frequency of short symbols, but most devices are still: try zero offset too.
        let spacings = abs(view.place.offsetHertz) / Float(view.profile.toneSpacingHertz)
        guard !isBrief, case .refused = first.outcome, view.place.dominance >= SyncCheck.plausibleDominance,
            FrameDecoder.forgettableOffsetSpacings.contains(spacings)
        else { return first }
        var still = view
        (still.place.offsetHertz, still.place.driftHertz) = (0, 0)
        let second = decodeNear(still, profileIndex, &measurer, mayWait: false, isBrief: false)
        guard case .decoded = second.outcome else { return (first.outcome, first.work + second.work) }
        return (second.outcome, first.work + second.work)
    }

    /// Reads the length header of a frame whose offset may change within its sync pattern.
    /// - Returns: the length announced there, nil if none is likely, and the work.
    mutating func announcedByteCount(
        _ view: FrameView, profileIndex: Int, _ measurer: borrowing FrameMeasurer
    ) -> (byteCount: Int?, work: DecodingWork) {
        tracks[profileIndex].write(view)
        let work = motion.writeHeaderLikelihoods(
            view, along: tracks[profileIndex], profileIndex: profileIndex, measurer, into: &headerMetrics)
        return (LengthHypotheses.announcedByteCount(headerMetrics, toneCount: view.profile.toneCount), work)
    }

    /// Detects a frame near a place, tries instants and metrics there, and then the iterative decoder.
    private mutating func decodeNear(
        _ view: FrameView, _ profileIndex: Int, _ measurer: inout FrameMeasurer, mayWait: Bool, isBrief: Bool
    ) -> (outcome: DecodingOutcome, work: DecodingWork) {
        iterations.begin()
        let isStill = view.place.shares.isAlone && !view.place.isDrifting
        let coherence = isStill ? stills[profileIndex].coherence(view, measurer) : 0
        let mayBeFaint = coherence >= StillDecoder.minimumFaintCoherence
        guard mayBeFaint || view.place.score >= view.format.minimumIncoherentScore else {
            return (.likeNoise, DecodingWork.syncCheck)
        }
        let (detected, detectionWork) = detection.detect(view, isCoherent: mayBeFaint, &measurer)
        guard let detected else { return (.likeNoise, detectionWork) }
        let isFaint =
            detected.logRatio < FrameDetection.minimumLogRatio
            || view.place.score < view.format.minimumIncoherentScore
        guard !isFaint else {
            var paths = stills[profileIndex].decode(detected.view, peakCount: 1, with: &path, &measurer)
            paths.work += detectionWork
            if case .decoded(let frame) = paths.outcome { return (.decoded(frame), paths.work) }
            return (.likeNoise, paths.work)
        }
        let view = detected.view
        let isPlausible = view.place.dominance >= SyncCheck.plausibleDominance
        let instantCount = isPlausible && !mayWait ? FrameDecoder.instants.count : 1
        var (paths, isLikeNoise) = decodeNoncoherently(view, &measurer, instantCount: instantCount)
        paths.work += detectionWork
        if case .decoded(let frame) = paths.outcome { return (.decoded(frame), paths.work) }
        var effort = IterativeDecoder.Effort.worth(
            logRatio: detected.logRatio, syncLogRatio: detected.syncLogRatio, dominance: view.place.dominance,
            channelCount: measurer.histories.count)
        if mayWait {
            let isHopeless = isLikeNoise && effort.pathCount == 0
            return (isHopeless ? .likeNoise : .disturbed(logRatio: detected.logRatio), paths.work)
        }
        if isBrief, effort.pathCount > 0 { effort = .brief }
        if effort.pathCount > 0, coherence >= StillDecoder.minimumCoherence,
            paths.add(
                stills[profileIndex].decode(
                    view, peakCount: effort.pathCount > 1 ? 2 : 1, with: &path, &measurer))
        {
            // The frame is decoded.
        } else if !paths.add(decodeMoving(detected, profileIndex, &measurer)), !view.place.isDrifting {
            _ = paths.add(iterations.decode(view, effort, with: &path, &coherents[profileIndex], &measurer))
        }
        switch paths.outcome {
        case .decoded(let frame): return (.decoded(frame), paths.work)
        case .refused(let refusal): return (isLikeNoise ? .likeNoise : .refused(refusal), paths.work)
        }
    }

    /// Tries instants and metrics at one frequency offset, and stores paths for the iterative decoder.
    /// - Returns: the paths; and whether there is only noise, so that only one was tried.
    private mutating func decodeNoncoherently(
        _ view: FrameView, _ measurer: inout FrameMeasurer, instantCount: Int
    ) -> (paths: PathResult, isLikeNoise: Bool) {
        var paths = PathResult.none
        for index in 0..<instantCount {
            let view = view.moved(by: FrameDecoder.instants[index] * Double(view.format.samplesPerSymbol))
            paths.work += path.prepare(view, &measurer)
            let plain = path.decode(view, &measurer)
            if paths.add(plain) { break }
            iterations.note(path, view)
            if index == 0, view.place.score < FrameDecoder.loudScore, plain.isRefusedByEvidence { return (paths, true) }
            if paths.add(path.decodeInterfered(view, &measurer)) { break }
            let weights = path.echoWeights(view.profile)
            guard weights.max() >= FrameDecoder.minimumEchoWeight else { continue }
            if paths.add(path.decode(view, echo: .onset(weights), &measurer)) { break }
            if paths.add(path.decode(view, echo: .echo(weights), &measurer)) { break }
            iterations.note(path, view)
        }
        return (paths, false)
    }

    /// Decodes along a changing offset, if one makes a frame likely.
    private mutating func decodeMoving(
        _ detected: Detection, _ profileIndex: Int, _ measurer: inout FrameMeasurer
    ) -> PathResult {
        var (moving, view) = (PathResult.none, detected.view)
        guard detected.logRatio >= MotionSearch.minimumLogRatio, FrameDetection.isInReach(view) else { return moving }
        tracks[profileIndex].write(view)
        for _ in 0..<MotionSearch.roundCount {
            let (isLikely, work) = motion.search(
                detected.view, along: tracks[profileIndex], profileIndex: profileIndex, measurer)
            moving.work += work
            guard isLikely else { break }
            path.propose(view.layout, view.profile) {
                motion.writeToneLikelihoods(detected.view, into: &$0)
            }
            motion.follow(path.trellis.tones, detected.view, into: &tracks[profileIndex])
            moving.work += path.prepare(view, along: tracks[profileIndex], &measurer)
            (view.place.offsetHertz, view.place.driftHertz) = (tracks[profileIndex].offsetsHertz[0], 0)
            if moving.add(path.decode(view, &measurer)) { break }
        }
        return moving
    }
}
