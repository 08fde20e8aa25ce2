import Dispatch

/// A capture device that is always being read, on a thread of its own that waits for nobody.
///
///     let microphone = try Microphone(DeviceRequest("hw:1"))
///     while microphone.next({ block, samples in … }) {}
///
/// What it reads waits in a ring of `ringSeconds` until `next` takes it. Lost frames are counted where they are missing:
/// from overruns, from a full ring, from sound servers that throw sound away, and while the device was away. So time, as
/// the sum of frames and lost frames, stays right.
///
/// One thread at a time may call `next`; everything else may be called from anywhere.
public final class Microphone: Sendable {
    /// What the device does. It does the same after an interruption.
    public let format: DeviceFormat

    private let ring: CaptureRing
    private let pace = CapturePace()
    private let worker = Worker()

    /// Opens a device and starts to record.
    /// - Parameters:
    ///   - reconnects: whether to wait for a device that goes away, and to go on when it is back.
    ///   - ringSeconds: how long `next` may stay away before sound is lost.
    public init(_ request: DeviceRequest, reconnects: Bool = false, ringSeconds: Double = 4) throws(DeviceError) {
        let pcm = try PCM(request, .capture)
        try pcm.start()
        let format = pcm.format
        let slots = max(8, Int(ringSeconds * Double(format.sampleRateHertz)) / format.periodFrameCount)
        let ring = CaptureRing(
            slotCount: slots, slotFrameCount: 2 * format.periodFrameCount, channelCount: format.channelCount)
        let reader = CaptureReader(
            consume pcm, request: request, reconnects: reconnects, ring: ring, pace: pace, worker: worker)
        self.ring = ring
        self.format = format
        worker.start { reader.run() }
    }

    deinit {
        worker.requestStop()
        pace.wake()
    }

    /// Waits for the next block and hands it over.
    /// - Parameters:
    ///   - milliseconds: how long to wait at most; −1: for ever.
    ///   - body: gets the block and its samples, shape [frameCount][channelCount], full scale 1. The samples are its only
    ///     until it returns.
    /// - Returns: false when nothing came in time, or after `stop` or `ended` when nothing is left.
    public func next(milliseconds: Int = -1, _ body: (CaptureBlock, Span<Float>) -> Void) -> Bool {
        let deadline: DispatchTime = milliseconds < 0 ? .distantFuture : .now() + .milliseconds(milliseconds)
        while true {
            // Looked at before the ring: what comes after the end nobody wants.
            let isStopping = worker.isStopping
            if ring.take(body) { return true }
            if isStopping || .now() >= deadline { return false }
            ring.wait(until: deadline)
        }
    }

    /// Whether blocks are wanted as soon as they are recorded, as they are at first, or a few at a time (0.12 s of sound),
    /// which costs less.
    public var isUrgent: Bool {
        get { pace.isUrgent }
        set { pace.isUrgent = newValue }
    }

    /// How full the ring is, 0 … 1.
    public var ringFill: Double { Double(ring.filledCount) / Double(ring.slotCount) }

    /// Whether there is nothing to come but what waits in the ring.
    public var isStopped: Bool { worker.isStopping }

    /// Ends the recording. Blocks that were recorded before can still be taken.
    public func stop() {
        worker.requestStop()
        pace.wake()
        ring.ring()
        worker.waitForEnd(seconds: 1)
    }
}
