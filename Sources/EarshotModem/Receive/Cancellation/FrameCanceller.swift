import EarshotCoding
import EarshotDSP

/// What became of cancelling a frame.
enum CancellingOutcome {
    /// It was taken out of the history.
    case cancelled
    /// There is nothing but noise beside it, so all there was is explained: the frame is masked.
    case cameAlone
    /// It stays: so many frames on top of each other are no people's.
    case tooMany
}

/// Takes decoded frames out of the baseband, so that it holds what nobody has explained yet.
///
/// 1. `ResidualDetector`: whether there is anything beside the frame.
/// 2. `FrameReplica`: the frame as it was sent.
/// 3. `FrameAlignment`: where it really is.
/// 4. `ChannelFit`: what the air made of it; once more with the offset that the first fit's phase tells.
///
/// Beside a talker 30 dB weaker no more than that talker is left of a frame in free air; in a room what arrives later than
/// the fit reaches. Cost: with searching again about 1.4 ms a cancelled frame.
struct FrameCanceller: ~Copyable {
    /// Parts of a frame whose phases are compared.
    private static let partCount = 12
    /// Less drift than this over a frame, in turns, leaves (2π·0.01)²/12 of it, −35 dB.
    private static let harmlessTurns = 0.01

    private var residualDetector: ResidualDetector
    private var replica: FrameReplica
    private var alignment: FrameAlignment
    private var fit: ChannelFit
    private var budget: CancellationBudget
    private var changed: Range<Int>?

    init(profiles: [Profile]) {
        residualDetector = ResidualDetector(profiles: profiles)
        replica = FrameReplica(profiles: profiles)
        alignment = FrameAlignment(profiles: profiles)
        fit = ChannelFit(maximumSampleCount: replica.samples.count)
        budget = CancellationBudget(basebandRateHertz: BasebandFormat.rateHertz(profiles[0]))
    }

    /// Takes a frame out of the history, or masks it where it came alone.
    /// - Parameters:
    ///   - view: the frame where decoding found it.
    ///   - tones: its tones; shape [toneCount].
    mutating func cancel(_ view: FrameView, _ tones: [Int]) -> CancellingOutcome {
        let history = view.history
        guard residualDetector.isAnything(beside: view, tones) else {
            // What else meets it looks like a frame, and costs as much as one.
            let end = view.place.start + view.length
            history.mask(Int(view.place.start.rounded())..<Int(end.rounded()))
            return .cameAlone
        }
        guard budget.spend(at: history.endIndex) else { return .tooMany }
        align(view, tones)
        fit.fit(replica, history, reweighing: true)
        let drift = fit.drift(history, partCount: FrameCanceller.partCount)
        if abs(drift) * Double(replica.sampleCount) > FrameCanceller.harmlessTurns {
            replica.shift(turnsPerSample: drift)
            fit.fit(replica, history)
        }
        let held = history.heldRange(fit.firstIndex..<fit.firstIndex + fit.sampleCount)
        history.subtract(fit.explained, from: fit.firstIndex, held)
        let before = changed ?? held
        changed = min(before.lowerBound, held.lowerBound)..<max(before.upperBound, held.upperBound)
        return .cancelled
    }

    /// The stretch of the history that changed since this was asked last; nil if none did.
    mutating func takeChangedStretch() -> Range<Int>? {
        defer { changed = nil }
        return changed
    }

    /// Makes the replica where the frame is, as exactly as its tones tell.
    private mutating func align(_ view: FrameView, _ tones: [Int]) {
        let (format, place, history) = (view.format, view.place, view.history)
        replica.make(
            tones, symbolCount: tones.count, format, start: place.start, offsetHertz: Double(place.offsetHertz))
        let correction = alignment.measure(
            replica, tones: tones, format, symbolLength: view.symbolLength, history)
        // A higher offset also shortens the frame: its middle stays where it was.
        let shortening = Double(replica.sampleCount) * correction.offsetHertz / format.profile.centreHertz
        replica.make(
            tones, symbolCount: tones.count, format, start: place.start + correction.delay + shortening / 2,
            offsetHertz: Double(place.offsetHertz) + correction.offsetHertz)
        replica.silence(lostIn: history)
    }
}
