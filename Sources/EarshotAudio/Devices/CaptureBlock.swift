/// A piece of a recording, or only a notice, in the order in which they happened.
public struct CaptureBlock: Sendable {
    /// Frames in it; 0 for a notice alone.
    public internal(set) var frameCount = 0
    /// Frames that were recorded by nobody right before it: time went on without them.
    public internal(set) var droppedFrameCount = 0
    /// When its last frame was recorded, by `MonotonicTime`.
    public internal(set) var endNanoseconds: Int64 = 0
    /// What happened before it.
    public internal(set) var notice: CaptureNotice?

    init() {}
}

/// What happens to a recording apart from sound.
public enum CaptureNotice: Sendable, Equatable {
    /// Why frames are missing.
    public enum Loss: String, Sendable {
        /// We were kept from reading for longer than the device's buffer lasts.
        case overrun
        /// The sound server threw them away and said nothing; the clock tells.
        case server
        /// Whoever works on the recording was slower than it comes in.
        case consumer
        /// The device was away.
        case interruption
    }

    /// The block lacks `droppedFrameCount` frames before it.
    case lost(Loss)
    /// The device is away; it is being waited for if that was asked for.
    case interrupted(DeviceError)
    /// It is back, with the same rate and channels.
    case resumed(DeviceFormat, afterSeconds: Double)
    /// The last block: the device is away for good.
    case ended(DeviceError)
}
