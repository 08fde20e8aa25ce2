import Dispatch
import EarshotSystem

/// A capture device that a thread of its own reads all the time, without waiting for the consumer.
///
///     let microphone = try Microphone(DeviceRequest("hw:1"))
///     while microphone.next({ block, samples in … }) {}
///
/// A ring of `ringSeconds` holds the recorded blocks until `next` takes them. Lost frames are counted where they are
/// missing: after overruns, a full ring, sound that a server discarded, and while the device was away. So the sum of
/// frames and lost frames stays the right time.
///
/// One thread at a time may call `next`; all other members are safe from any thread.
public final class Microphone: Sendable {
    /// The format in which the device was opened. It stays the same after an interruption.
    public let format: DeviceFormat

    private let ring: CaptureRing
    private let pace = CapturePace()
    private let worker = Worker()

    /// Opens a device and starts to record.
    /// - Parameters:
    ///   - request: the device and its format.
    ///   - reconnects: whether to wait for a device that goes away, and to continue when it is back.
    ///   - ringSeconds: how long `next` may stay away before sound is lost, in seconds; at least 8 periods.
    /// - Throws: `DeviceError` if the device cannot be opened, configured or started; any of its kinds.
    public init(_ request: DeviceRequest, reconnects: Bool = false, ringSeconds: Double = 4) throws(DeviceError) {
        let pcm = try PCM(request, .capture)
        try pcm.start()
        let format = pcm.format
        let frames = Int(ringSeconds * Double(format.sampleRateHertz))
        let period = format.periodFrameCount
        // An unhurried read in one block: it wakes the consumer once.
        let unhurried = Int(CaptureReader.unhurriedSeconds * Double(format.sampleRateHertz))
        let blockFrameCount = max(2 * period, unhurried + period)
        let ring = CaptureRing(
            slotCount: max(8, frames / period), slotFrameCount: blockFrameCount, channelCount: format.channelCount,
            frameCapacity: max(frames, 8 * period) + blockFrameCount)
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

    /// Waits for the next block and passes it to `body`.
    /// - Parameters:
    ///   - milliseconds: the maximum wait; −1 means forever.
    ///   - body: gets the block and its samples, shape [frameCount][channelCount], full scale 1. The samples are valid
    ///     only until it returns.
    /// - Returns: false if no block arrived in time, or if the ring is empty after `stop` or `ended`.
    public func next(milliseconds: Int = -1, _ body: (CaptureBlock, Span<Float>) -> Void) -> Bool {
        let deadline: DispatchTime = milliseconds < 0 ? .distantFuture : .now() + .milliseconds(milliseconds)
        while true {
            // Read before the ring, so that a block recorded before the stop is still delivered.
            let isStopping = worker.isStopping
            if ring.take(body) { return true }
            if isStopping || .now() >= deadline { return false }
            ring.wait(until: deadline)
        }
    }

    /// Whether `next` delivers blocks as soon as they are recorded (true at first), or a few at a time (0.12 s of
    /// sound), which costs less processor time.
    public var isUrgent: Bool {
        get { pace.isUrgent }
        set { pace.isUrgent = newValue }
    }

    /// The filled share of the ring, 0 … 1.
    public var ringFill: Double { ring.fill }

    /// Whether the recording has stopped. `next` then delivers the rest of the ring.
    public var isStopped: Bool { worker.isStopping }

    /// Ends the recording. `next` still delivers the blocks recorded before.
    public func stop() {
        worker.requestStop()
        pace.wake()
        ring.ring()
        worker.waitForEnd(seconds: 1)
    }
}
