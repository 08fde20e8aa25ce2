import Dispatch
import Glibc

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

    /// Whether blocks are wanted as soon as they are recorded, as they are at first, or a few at a time (0.1 s of sound),
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

/// What the capture thread does.
private final class CaptureReader: @unchecked Sendable {
    /// A device that says it runs and delivers nothing for so long is as good as gone.
    private static let patienceWaits = 50
    private static let waitMilliseconds = 100
    private static let marginSeconds = 0.002
    /// What is read at a time while nobody hurries. The search finds a sync pattern at most 17 symbols behind its start;
    /// of the shortest frame, one byte in `fast`, 11 symbols or 0.12 s are left then.
    private static let unhurriedSeconds = 0.12
    /// Waits between attempts to open a device again: 0.1 s, doubled up to this.
    private static let longestBackOffSeconds = 1.0

    private var pcm: PCM?
    private let format: DeviceFormat
    private let request: DeviceRequest
    private let reconnects: Bool
    private let ring: CaptureRing
    private let pace: CapturePace
    private let worker: Worker
    private let bytes: UnsafeMutableRawBufferPointer
    private var clock: StreamClock
    /// Frames that are missing before the next block.
    private var dropped = 0
    /// What has to be said and found no room in the ring yet; a device that comes and goes while nobody takes anything
    /// is not worth more.
    private var notices: [CaptureNotice] = []
    private static let largestNoticeCount = 32

    init(
        _ pcm: consuming PCM, request: DeviceRequest, reconnects: Bool, ring: CaptureRing, pace: CapturePace,
        worker: Worker
    ) {
        let format = pcm.format
        self.format = format
        self.pcm = consume pcm
        // What it offered the first time it has to offer again.
        self.request = DeviceRequest(
            request.name, sampleRateHertz: format.sampleRateHertz, channelCount: format.channelCount,
            periodSeconds: request.periodSeconds, bufferSeconds: request.bufferSeconds)
        self.reconnects = reconnects
        self.ring = ring
        self.pace = pace
        self.worker = worker
        clock = StreamClock(sampleRateHertz: format.sampleRateHertz)
        bytes = .allocate(byteCount: ring.slotFrameCount * format.channelCount * 4, alignment: 16)
    }

    deinit {
        bytes.deallocate()
    }

    func run() {
        // Counted, and not by the clock: a process that was stopped for a while has not listened meanwhile.
        var vainWaits = 0
        while !worker.isStopping {
            sayWhatWaits()
            sleepUntilDue()
            var (count, problem) = readAll()
            if count == 0, problem == 0 {
                problem = min(0, pcm?.wait(milliseconds: Self.waitMilliseconds) ?? Int(-ENODEV))
            }
            vainWaits = count > 0 ? 0 : vainWaits + 1
            if problem == 0, vainWaits > Self.patienceWaits { problem = Int(-EIO) }
            if problem < 0 {
                guard restart(after: problem) || reopen(after: problem) else { return }
                vainWaits = 0
            }
        }
        pcm = nil
    }

    /// Sleeps until the next period should be there, or the next few. Then there is nothing to wait for, which for a sound
    /// server's PCM takes three exchanges between threads a period.
    private func sleepUntilDue() {
        let period = Double(format.periodFrameCount) / Double(format.sampleRateHertz)
        while !worker.isStopping {
            let wanted = pace.isUrgent ? period : max(period, Self.unhurriedSeconds)
            let due = clock.endNanoseconds + Int64((wanted + Self.marginSeconds) * 1e9)
            let seconds = min(Double(due - MonotonicTime.nanoseconds) / 1e9, wanted)
            if seconds <= 0 || !pace.pause(seconds: seconds) { return }
        }
    }

    /// Reads what is there.
    private func readAll() -> (count: Int, problem: Int) {
        var total = 0
        while !worker.isStopping {
            guard let base = bytes.baseAddress else { return (total, 0) }
            let count = pcm?.read(base, frameCount: ring.slotFrameCount) ?? Int(-ENODEV)
            if count == -EAGAIN || count == 0 { return (total, 0) }
            if count < 0 { return (total, count) }
            total += count
            deliver(count)
            // A short read emptied the device's buffer.
            if count < ring.slotFrameCount { return (total, 0) }
        }
        return (total, 0)
    }

    private func deliver(_ count: Int) {
        let missing = clock.received(count, at: MonotonicTime.nanoseconds)
        if missing > 0 {
            dropped += missing
            say(.lost(.server))
        }
        sayWhatWaits()
        var block = CaptureBlock()
        block.frameCount = count
        block.droppedFrameCount = dropped
        block.endNanoseconds = clock.endNanoseconds
        let sampleCount = count * format.channelCount
        let (bytes, encoding) = (UnsafeRawBufferPointer(bytes), encoding)
        if notices.isEmpty,
            ring.put(block, fill: { encoding.decode(bytes, count: sampleCount, into: $0) })
        {
            dropped = 0
        } else {
            if !notices.contains(.lost(.consumer)) { say(.lost(.consumer)) }
            dropped += count
        }
    }

    private var encoding: DeviceEncoding { pcm?.format.encoding ?? format.encoding }

    private func say(_ notice: CaptureNotice) {
        if notices.count < Self.largestNoticeCount { notices.append(notice) }
    }

    /// Puts notices into the ring while there is room.
    private func sayWhatWaits() {
        while let notice = notices.first {
            var block = CaptureBlock()
            block.notice = notice
            block.endNanoseconds = clock.endNanoseconds
            guard ring.put(block, fill: { _ in }) else { return }
            notices.removeFirst()
        }
    }

    /// After an overrun or a suspended machine.
    private func restart(after problem: Int) -> Bool {
        guard pcm?.recover(from: problem) == true else { return false }
        do {
            try pcm?.start()
        } catch {
            return false
        }
        lose(.overrun)
        return true
    }

    private func lose(_ reason: CaptureNotice.Loss) {
        let count = clock.dueFrameCount(at: MonotonicTime.nanoseconds)
        clock.restart(missing: count)
        dropped += count
        if count > 0 { say(.lost(reason)) }
    }

    /// Waits for a device that is away.
    /// - Returns: false when it is away for good, or nobody wants it any more.
    private func reopen(after problem: Int) -> Bool {
        let reason =
            pcm?.failure(problem, "record from")
            ?? .alsa(problem, operation: "record from", device: request.name)
        pcm = nil
        let begin = MonotonicTime.nanoseconds
        guard reconnects else {
            end(reason)
            return false
        }
        say(.interrupted(reason))
        var backOff = 0.1
        while !worker.isStopping {
            sayWhatWaits()
            worker.pause(seconds: backOff)
            backOff = min(2 * backOff, Self.longestBackOffSeconds)
            do throws(DeviceError) {
                let opened = try PCM(request, .capture)
                try opened.start()
                let format = opened.format
                pcm = consume opened
                lose(.interruption)
                say(.resumed(format, afterSeconds: Double(MonotonicTime.nanoseconds - begin) / 1e9))
                return true
            } catch {
                if error.isWorthRetrying { continue }
                end(error)
                return false
            }
        }
        return false
    }

    /// Says the last thing, however long the ring stays full.
    private func end(_ reason: DeviceError) {
        notices.append(.ended(reason))
        while !notices.isEmpty, !worker.isStopping {
            sayWhatWaits()
            if !notices.isEmpty { worker.pause(seconds: 0.02) }
        }
        worker.requestStop()
        ring.ring()
    }
}
