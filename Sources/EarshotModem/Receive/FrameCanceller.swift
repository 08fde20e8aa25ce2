import EarshotCoding
import EarshotDSP

/// Takes decoded frames out of the baseband, so that it holds what nobody has explained yet.
///
/// 1. `FrameReplica`: the frame as it was sent.
/// 2. `FrameAlignment`: where it really is.
/// 3. `ChannelFit`: what the air made of it.
/// 4. Once more, with the offset that the first fit's phase tells.
struct FrameCanceller: ~Copyable {
    private var replica: FrameReplica
    private var alignment: FrameAlignment
    private var fit: ChannelFit
    static let segmentCount = 12

    init(profiles: [Profile]) {
        replica = FrameReplica(profiles: profiles)
        alignment = FrameAlignment(profiles: profiles)
        fit = ChannelFit(largestSampleCount: replica.samples.count)
    }

    /// Subtracts a frame.
    /// - Parameter place: where decoding found it.
    /// - Returns: the stretch of baseband that changed.
    mutating func cancel(
        _ tones: [Int], _ format: BasebandFormat, place: Candidate, from history: inout BasebandHistory
    ) -> Range<Int> {
        var (start, offsetHertz) = (place.start, Double(place.offsetHertz))
        replica.make(tones, format, start: start, offsetHertz: offsetHertz)
        let correction = alignment.measure(
            replica, tones: tones, format, symbolLength: format.symbolLength(offsetHertz: place.offsetHertz), history)
        // A higher offset also ends the frame earlier: keep its middle.
        let seconds = Double(replica.sampleCount) / Double(format.rateHertz)
        start += correction.delay
            + 0.5 * seconds * Double(format.rateHertz) * correction.offsetHertz / Double(format.profile.centreHertz)
        offsetHertz += correction.offsetHertz
        replica.make(tones, format, start: start, offsetHertz: offsetHertz)
        replica.silence(lostIn: history)
        for pass in 0..<2 {
            fit.fit(replica, history, reweighing: pass == 0)
            replica.shift(turnsPerSample: fit.drift(history, segmentCount: FrameCanceller.segmentCount))
        }
        fit.fit(replica, history)
        let held = history.heldRange(fit.firstIndex..<fit.firstIndex + fit.sampleCount)
        history.subtract(fit.explained, from: fit.firstIndex, held)
        return held
    }
}
