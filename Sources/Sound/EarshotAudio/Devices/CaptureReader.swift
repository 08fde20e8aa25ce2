import EarshotBasics
import EarshotSystem
import Glibc

/// The capture thread: reads a device into a ring, counts missing frames, and waits for a device that is away.
final class CaptureReader: @unchecked Sendable {
    /// After this many waits without a frame, a device that claims to run counts as gone.
    private static let patienceWaits = 50
    private static let waitMilliseconds = 100
    private static let marginSeconds = 0.002
    /// The sound read at a time while the consumer is not urgent, in seconds. The search finds the first sync tones at
    /// most 18 symbols and 22 ms after their start. A token in `fast` has 52 symbols and is decoded 2 later: 0.36 s are
    /// left then. A frame of one byte in `fast` has 30 symbols, and 0.13 s are left.
    static let unhurriedSeconds = 0.12
    /// The maximum wait between attempts to reopen a device; the first wait is 0.1 s, and each attempt doubles it.
    private static let reopening = BackOff.Bounds(shortest: .milliseconds(100), longest: .seconds(1))

    private var pcm: PCM?
    private let format: DeviceFormat
    private let request: DeviceRequest
    private let reconnects: Bool
    private let ring: CaptureRing
    private let pace: CapturePace
    private let worker: Worker
    private let bytes: UnsafeMutableRawBufferPointer
    private var clock: StreamClock
    /// Frames missing before the next block.
    private var dropped = 0
    /// Notices that found no room in the ring yet. The limit keeps a device that comes and goes, without a consumer, from
    /// using more memory.
    private var notices: [CaptureNotice] = []
    private static let maximumNoticeCount = 32

    init(
        _ pcm: consuming PCM, request: DeviceRequest, reconnects: Bool, ring: CaptureRing, pace: CapturePace,
        worker: Worker
    ) {
        let format = pcm.format
        self.format = format
        self.pcm = consume pcm
        // After an interruption, the device must offer the format of the first opening again.
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
        // The reader counts waits instead of reading the clock: a process that was stopped for a while did not listen meanwhile.
        var emptyWaits = 0
        while !worker.isStopping {
            postPendingNotices()
            sleepUntilDue()
            var (count, problem) = readAll()
            if count == 0, problem == 0 {
                problem = min(0, pcm?.wait(milliseconds: Self.waitMilliseconds) ?? Int(-ENODEV))
            }
            emptyWaits = count > 0 ? 0 : emptyWaits + 1
            if problem == 0, emptyWaits > Self.patienceWaits { problem = Int(-EIO) }
            if problem < 0 {
                guard restart(after: problem) || reopen(after: problem) else { return }
                emptyWaits = 0
            }
        }
        pcm = nil
    }

    /// Sleeps until the next period, or the next few, should have arrived. The read then finds them without a wait, which a
    /// sound server's PCM implements with three exchanges between threads a period.
    private func sleepUntilDue() {
        let period = Double(format.periodFrameCount) / Double(format.sampleRateHertz)
        while !worker.isStopping {
            let wanted = pace.isUrgent ? period : max(period, Self.unhurriedSeconds)
            let due = clock.endNanoseconds + Int64((wanted + Self.marginSeconds) * 1e9)
            let seconds = min(Double(due - MonotonicTime.nanoseconds) / 1e9, wanted)
            if seconds <= 0 || !pace.pause(seconds: seconds) { return }
        }
    }

    /// Reads all available frames.
    private func readAll() -> (count: Int, problem: Int) {
        var total = 0
        while !worker.isStopping {
            guard let base = bytes.baseAddress else { return (total, 0) }
            let count = pcm?.read(base, frameCount: ring.slotFrameCount) ?? Int(-ENODEV)
            if count == -EAGAIN || count == 0 { return (total, 0) }
            if count < 0 { return (total, count) }
            total += count
            deliver(count)
            // A short read means that the device's buffer is empty.
            if count < ring.slotFrameCount { return (total, 0) }
        }
        return (total, 0)
    }

    private func deliver(_ count: Int) {
        let missing = clock.received(count, at: MonotonicTime.nanoseconds)
        if missing > 0 {
            dropped += missing
            post(.lost(.server))
        }
        postPendingNotices()
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
            if !notices.contains(.lost(.consumer)) { post(.lost(.consumer)) }
            dropped += count
        }
    }

    private var encoding: DeviceEncoding { pcm?.format.encoding ?? format.encoding }

    private func post(_ notice: CaptureNotice) {
        if notices.count < Self.maximumNoticeCount { notices.append(notice) }
    }

    /// Puts pending notices into the ring while there is room.
    private func postPendingNotices() {
        while let notice = notices.first {
            var block = CaptureBlock()
            block.notice = notice
            block.endNanoseconds = clock.endNanoseconds
            guard ring.put(block, fill: { _ in }) else { return }
            notices.removeFirst()
        }
    }

    /// Restarts the device after an overrun or a suspension of the machine.
    private func restart(after problem: Int) -> Bool {
        guard pcm?.recover(from: problem) == true else { return false }
        do {
            try pcm?.start()
        } catch {
            return false
        }
        reportLoss(.overrun)
        return true
    }

    private func reportLoss(_ reason: CaptureNotice.Loss) {
        let now = MonotonicTime.nanoseconds
        let count = clock.dueFrameCount(at: now)
        clock.restart(missing: count, at: now)
        dropped += count
        if count > 0 { post(.lost(reason)) }
    }

    /// Waits for a device that is away.
    /// - Returns: false if it has disappeared permanently, or the recording was stopped.
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
        post(.interrupted(reason))
        var backOff = BackOff(Self.reopening)
        while !worker.isStopping {
            postPendingNotices()
            worker.pause(seconds: backOff.pause().seconds)
            do throws(DeviceError) {
                let opened = try PCM(request, .capture)
                try opened.start()
                let format = opened.format
                pcm = consume opened
                reportLoss(.interruption)
                post(.resumed(format, afterSeconds: Double(MonotonicTime.nanoseconds - begin) / 1e9))
                return true
            } catch {
                if error.isWorthRetrying { continue }
                end(error)
                return false
            }
        }
        return false
    }

    /// Delivers the last notice, even if the ring stays full for long.
    private func end(_ reason: DeviceError) {
        notices.append(.ended(reason))
        while !notices.isEmpty, !worker.isStopping {
            postPendingNotices()
            if !notices.isEmpty { worker.pause(seconds: 0.02) }
        }
        worker.requestStop()
        ring.ring()
    }
}
