/// Estimates when a frame was recorded, and finds missing frames that no device reports.
///
///     t(n) = a + n/F,   a = minimum of (tᵢ − nᵢ/F) over the last 5 to 10 s
///
/// where the reader got block i, up to frame nᵢ, at time tᵢ. A block can be read late for many reasons and early for
/// none, so the minimum is the best estimate. The window lets a follow a converter with a clock error of 1,000 ppm
/// within 10 ms.
///
/// A sound server that discards sound does not report it: then all blocks come late from there on. So if even the
/// earliest of a second's blocks is later than `toleranceSeconds`, that much sound is missing.
struct StreamClock {
    /// Two periods of 40 ms, in seconds. Blocks of a loaded machine are late too, but not all of them for a second.
    static let toleranceSeconds = 0.08
    private static let windowSeconds = 5.0
    private static let judgedSeconds = 1.0
    /// From a restart to its first block passes a period of 40 ms, and on a loaded machine several. If more passes, the process
    /// or the machine was stopped, and the sound of that time is missing.
    private static let maximumStartSeconds = 0.5

    let sampleRateHertz: Int
    /// The number of frames so far, including missing ones.
    private(set) var frameCount = 0

    private var origin: Int64?
    /// When the device started again, until its first block; the first of several restarts without a block between them.
    private var restartNanoseconds: Int64?
    /// The minimum of t − n/F in this window and the one before, and the end of this one.
    private var minimum = (current: Double.infinity, previous: Double.infinity, endSeconds: 0.0)
    /// The minimum over the second under judgement. It ends by the clock, not by frames: the frames of a backlog all
    /// come late and in no time.
    private var judged = (minimum: Double.infinity, endSeconds: 0.0, count: 0)

    init(sampleRateHertz: Int, frameCount: Int = 0) {
        self.sampleRateHertz = sampleRateHertz
        self.frameCount = frameCount
    }

    /// a, in seconds after the first block's arrival; nil before the first block.
    private var anchorSeconds: Double? {
        let value = min(minimum.current, minimum.previous)
        return value.isFinite ? value : nil
    }

    /// The recording time of the end of the last frame, by `MonotonicTime`.
    var endNanoseconds: Int64 {
        guard let origin, let anchorSeconds else { return 0 }
        return origin + Int64((anchorSeconds + Double(frameCount) / Double(sampleRateHertz)) * 1e9)
    }

    /// The device starts again at `now`, and `count` frames are missing. The clock then learns the blocks' delay from the
    /// beginning.
    mutating func restart(missing count: Int, at now: Int64) {
        let begin = origin == nil ? restartNanoseconds ?? now : now
        self = StreamClock(sampleRateHertz: sampleRateHertz, frameCount: frameCount + count)
        restartNanoseconds = begin
    }

    /// The number of frames that should have been recorded by `now` and have not arrived yet.
    func dueFrameCount(at now: Int64) -> Int {
        guard let origin, let anchorSeconds else { return 0 }
        let due = (Double(now - origin) / 1e9 - anchorSeconds) * Double(sampleRateHertz)
        return max(0, Int(due) - frameCount)
    }

    /// Records that a block of `count` frames was read at `now`.
    /// - Returns: the number of unreported frames that went missing before it; `frameCount` includes them.
    mutating func received(_ count: Int, at now: Int64) -> Int {
        var missing = 0
        if origin == nil {
            origin = now
            let start = Double(now - (restartNanoseconds ?? now)) / 1e9 - Double(count) / Double(sampleRateHertz)
            if start > StreamClock.maximumStartSeconds { missing = Int((start * Double(sampleRateHertz)).rounded()) }
        }
        frameCount += count + missing
        let nowSeconds = Double(now - (origin ?? now)) / 1e9
        let offset = nowSeconds - Double(frameCount) / Double(sampleRateHertz)

        let anchor = anchorSeconds
        judged.minimum = min(judged.minimum, offset)
        judged.count += 1
        if nowSeconds >= judged.endSeconds {
            if let anchor, judged.count > 3, judged.minimum > anchor + StreamClock.toleranceSeconds {
                missing = Int(((judged.minimum - anchor) * Double(sampleRateHertz)).rounded())
                frameCount += missing
            }
            judged = (.infinity, nowSeconds + StreamClock.judgedSeconds, 0)
        }

        if nowSeconds >= minimum.endSeconds {
            minimum = (.infinity, minimum.current, nowSeconds + StreamClock.windowSeconds)
        }
        minimum.current = min(minimum.current, nowSeconds - Double(frameCount) / Double(sampleRateHertz))
        return missing
    }
}
