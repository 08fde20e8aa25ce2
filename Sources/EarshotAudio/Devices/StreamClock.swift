/// When a frame of a recording was recorded, and whether frames are missing that nobody reported.
///
///     t(n) = a + n/F,   a = the least of (tᵢ − nᵢ/F) over the last 5 to 10 s
///
/// where block i, up to frame nᵢ, was read at time tᵢ. A block is read late for many reasons and early for none, so the
/// least is the best. The window lets a follow a converter whose clock is off by 1,000 ppm within 10 ms.
///
/// A sound server that throws sound away does not say so: then all blocks come late from there on. So when even the
/// earliest of a second's blocks is later than `tolerance`, that much sound is missing.
struct StreamClock {
    /// Two periods of 40 ms. Blocks of a loaded machine are late too, but not all of them for a second.
    static let toleranceSeconds = 0.08
    private static let windowSeconds = 5.0
    private static let judgedSeconds = 1.0

    let sampleRateHertz: Int
    /// Frames so far, those that are missing included.
    private(set) var frameCount = 0

    private var origin: Int64?
    /// Least of t − n/F in this window and the one before, and when this one ends.
    private var least = (current: Double.infinity, previous: Double.infinity, endSeconds: 0.0)
    /// The same for the judgement. By the clock, not by frames: those of a backlog all come late and in no time.
    private var judged = (least: Double.infinity, endSeconds: 0.0, count: 0)

    init(sampleRateHertz: Int, frameCount: Int = 0) {
        self.sampleRateHertz = sampleRateHertz
        self.frameCount = frameCount
    }

    /// a, in seconds after the first block's arrival; nil before there is one.
    private var anchorSeconds: Double? {
        let value = min(least.current, least.previous)
        return value.isFinite ? value : nil
    }

    /// When the frame behind the last one was recorded.
    var endNanoseconds: Int64 {
        guard let origin, let anchorSeconds else { return 0 }
        return origin + Int64((anchorSeconds + Double(frameCount) / Double(sampleRateHertz)) * 1e9)
    }

    /// The device starts anew, and `count` frames are missing. How late its blocks come has to be learnt again.
    mutating func restart(missing count: Int) {
        self = StreamClock(sampleRateHertz: sampleRateHertz, frameCount: frameCount + count)
    }

    /// Frames that should have been recorded by now and are not here yet.
    func dueFrameCount(at now: Int64) -> Int {
        guard let origin, let anchorSeconds else { return 0 }
        let due = (Double(now - origin) / 1e9 - anchorSeconds) * Double(sampleRateHertz)
        return max(0, Int(due) - frameCount)
    }

    /// A block of `count` frames was read at `now`.
    /// - Returns: how many frames went missing before it that nobody reported; they are counted in.
    mutating func received(_ count: Int, at now: Int64) -> Int {
        if origin == nil { origin = now }
        frameCount += count
        let nowSeconds = Double(now - (origin ?? now)) / 1e9
        let offset = nowSeconds - Double(frameCount) / Double(sampleRateHertz)

        let anchor = anchorSeconds
        judged.least = min(judged.least, offset)
        judged.count += 1
        var missing = 0
        if nowSeconds >= judged.endSeconds {
            if let anchor, judged.count > 3, judged.least > anchor + StreamClock.toleranceSeconds {
                missing = Int(((judged.least - anchor) * Double(sampleRateHertz)).rounded())
                frameCount += missing
            }
            judged = (.infinity, nowSeconds + StreamClock.judgedSeconds, 0)
        }

        if nowSeconds >= least.endSeconds {
            least = (.infinity, least.current, nowSeconds + StreamClock.windowSeconds)
        }
        least.current = min(least.current, offset - Double(missing) / Double(sampleRateHertz))
        return missing
    }
}
