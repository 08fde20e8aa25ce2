/// One block of a recording, or a notice alone. Blocks arrive in the order of recording.
public struct CaptureBlock: Sendable {
    /// The number of frames in the block; 0 for a notice alone.
    public internal(set) var frameCount = 0
    /// The number of frames missing directly before the block. Time ran on while the recording missed them.
    public internal(set) var droppedFrameCount = 0
    /// The recording time of the block's last frame, by `MonotonicTime`.
    public internal(set) var endNanoseconds: Int64 = 0
    /// The event before the block, if any.
    public internal(set) var notice: CaptureNotice?

    init() {}
}

/// An event of a recording other than sound.
public enum CaptureNotice: Sendable, Equatable {
    /// The cause of missing frames.
    public enum Loss: String, Sendable {
        /// The reading thread was delayed for longer than the device's buffer lasts.
        case overrun
        /// The sound server discarded frames without a report; the clock shows it.
        case server
        /// The consumer of the recording was slower than real time.
        case consumer
        /// The device was away.
        case interruption
    }

    /// `droppedFrameCount` frames are missing before the block.
    case lost(Loss)
    /// The device is away; the reader waits for it if the caller asked for that.
    case interrupted(DeviceError)
    /// The device is back, with the same rate and channels.
    case resumed(DeviceFormat, afterSeconds: Double)
    /// The last block: the device has disappeared permanently.
    case ended(DeviceError)
}
