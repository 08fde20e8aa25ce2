import EarshotCoding
import EarshotDSP

/// The outcome of cancelling a frame.
enum CancellingOutcome {
    /// The frame was subtracted from the histories, which have changed in this range.
    case cancelled(Range<Int>)
    /// There is only noise beside the frame: it was masked in the channels that heard it, because it explains
    /// everything at its place. In the others there may be a talker that is too quiet for a residual.
    case cameAlone
    /// The frame stays: the cancellation budget is exhausted.
    case budgetExhausted
}

/// Cancels decoded frames in the baseband of all channels, so that only the residual is left, which no frame explains
/// yet.
///
/// 1. `ResidualDetector`: whether there is a residual beside the frame.
/// 2. `FrameReplica`: the frame as it was sent.
/// 3. `FrameAlignment`: its exact place.
/// 4. `ChannelFit`: the channel to each microphone; that of the best one is fitted again with the offset from the phase
///    of the first fit.
///
/// In free air, with a second talker 30 dB weaker, the residual of a frame is not louder than that talker; in a room
/// the echoes after the end of the fit remain. Cost: including the new search about 1.4 ms a cancelled frame.
struct FrameCanceller: ~Copyable {
    /// The number of parts of a frame whose phases are compared.
    private static let partCount = 12
    /// A drift below this over a frame, in turns, leaves (2π·0.01)²/12 of the frame, −35 dB.
    private static let harmlessTurns = 0.01

    private var residualDetector: ResidualDetector
    private var replica: FrameReplica
    private var alignment: FrameAlignment
    private var fit: ChannelFit
    private var budget: CancellationBudget

    init(profiles: [Profile]) {
        residualDetector = ResidualDetector(profiles: profiles)
        replica = FrameReplica(profiles: profiles)
        alignment = FrameAlignment(profiles: profiles)
        fit = ChannelFit(maximumSampleCount: replica.samples.count)
        budget = CancellationBudget(basebandRateHertz: BasebandFormat.rateHertz(profiles[0]))
    }

    /// Subtracts a frame from the history, or masks it if it came alone.
    /// - Parameters:
    ///   - view: the frame at the place where it was decoded.
    ///   - tones: its tones; shape [toneCount].
    ///   - measurer: measures the frame, in the baseband from which it is subtracted.
    /// - Returns: the outcome and the work, with that of the search that follows.
    mutating func cancel(
        _ view: FrameView, _ tones: [Int], _ measurer: inout FrameMeasurer
    ) -> (outcome: CancellingOutcome, work: DecodingWork) {
        let histories = measurer.histories
        guard residualDetector.isAnything(beside: view, tones, &measurer) else {
            // Patterns of its tones look like frames, and each costs as much as a frame.
            let end = view.place.start + view.length
            histories.mask(Int(view.place.start.rounded())..<Int(end.rounded()), in: view.place.shares)
            return (.cameAlone, .zero)
        }
        guard budget.spend(at: histories.endIndex) else { return (.budgetExhausted, .zero) }
        let best = view.place.shares.best
        align(view, tones, histories[best])
        fit.fit(replica, histories[best], reweighing: true)
        let drift = fit.drift(histories[best], partCount: FrameCanceller.partCount)
        if abs(drift) * Double(replica.sampleCount) > FrameCanceller.harmlessTurns {
            replica.shift(turnsPerSample: drift)
            fit.fit(replica, histories[best])
        }
        var changed = subtract(from: histories[best])
        for channel in histories.indices where channel != best {
            fit.fit(replica, histories[channel], reweighing: true)
            let range = subtract(from: histories[channel])
            changed = min(changed.lowerBound, range.lowerBound)..<max(changed.upperBound, range.upperBound)
        }
        return (
            .cancelled(changed), DecodingWork.symbolCancellation * (view.layout.toneCount * histories.count)
        )
    }

    /// Subtracts the explained signal.
    /// - Returns: the range that has changed.
    private func subtract(from history: BasebandHistory) -> Range<Int> {
        let held = history.heldRange(fit.firstIndex..<fit.firstIndex + fit.sampleCount)
        history.subtract(fit.explained, from: fit.firstIndex, held)
        return held
    }

    /// Computes the replica at the exact place of the frame in its best channel.
    private mutating func align(_ view: FrameView, _ tones: [Int], _ history: BasebandHistory) {
        let (format, place) = (view.format, view.place)
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
