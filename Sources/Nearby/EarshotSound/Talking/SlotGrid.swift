/// The starts of slots. No device announces them: each device follows the tokens that it hears.
///
///     slot k:  t₀ + k·S,   talkers begin in [t₀ + k·S, t₀ + k·S + spread)
///
/// A token that begins outside this window moves the grid by the minimum that puts it inside. All devices that hear a talker
/// follow it at once, so a room agrees after a few tokens, and clocks that differ never drift apart.
struct SlotGrid {
    let timing: TalkTiming
    /// t₀, seconds.
    private(set) var originSeconds: Double

    init(_ timing: TalkTiming, originSeconds: Double) {
        self.timing = timing
        self.originSeconds = originSeconds
    }

    /// k, the slot at a moment.
    func index(atSeconds: Double) -> Int {
        Int(((atSeconds - originSeconds) / timing.slotSeconds).rounded(.down))
    }

    /// The start of slot k, seconds.
    func beginSeconds(_ index: Int) -> Double {
        originSeconds + Double(index) * timing.slotSeconds
    }

    /// Moves the grid for a token that began at a moment.
    mutating func follow(startSeconds: Double) {
        let slot = timing.slotSeconds
        var late = (startSeconds - originSeconds).truncatingRemainder(dividingBy: slot)
        if late < 0 { late += slot }
        guard late > timing.spreadSeconds else { return }
        // Forward by the excess over the window's end, or back by the distance to the next start, whichever is less.
        let forward = late - timing.spreadSeconds
        let back = slot - late
        originSeconds += forward < back ? forward : -back
    }
}
