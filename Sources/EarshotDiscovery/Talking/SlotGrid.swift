/// Where slots begin: nobody says so, everybody hears it.
///
///     slot k:  t₀ + k·S,   talkers begin in [t₀ + k·S, t₀ + k·S + spread)
///
/// A token that began outside of that moves the grid by as little as puts it inside. All who hear a talker follow it at
/// once, so that a room agrees after a few tokens, and clocks that differ never drift apart.
struct SlotGrid {
    let timing: TalkTiming
    /// t₀.
    private(set) var originSeconds: Double

    init(_ timing: TalkTiming, originSeconds: Double) {
        self.timing = timing
        self.originSeconds = originSeconds
    }

    /// k of the slot that a moment lies in.
    func index(atSeconds: Double) -> Int {
        Int(((atSeconds - originSeconds) / timing.slotSeconds).rounded(.down))
    }

    /// When slot k begins.
    func beginSeconds(_ index: Int) -> Double {
        originSeconds + Double(index) * timing.slotSeconds
    }

    /// A token began then.
    mutating func follow(startSeconds: Double) {
        let slot = timing.slotSeconds
        var late = (startSeconds - originSeconds).truncatingRemainder(dividingBy: slot)
        if late < 0 { late += slot }
        guard late > timing.spreadSeconds else { return }
        // Forward by what is missing at the window's end, or back by what is missing at its begin.
        let forward = late - timing.spreadSeconds
        let back = slot - late
        originSeconds += forward < back ? forward : -back
    }
}
