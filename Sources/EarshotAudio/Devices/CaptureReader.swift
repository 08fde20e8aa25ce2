import Glibc

/// What the capture thread does: reads a device into a ring, counts what is missing, and waits for a device that is away.
final class CaptureReader: @unchecked Sendable {
    /// A device that says it runs and delivers nothing for so long is as good as gone.
    private static let patienceWaits = 50
    private static let waitMilliseconds = 100
    private static let marginSeconds = 0.002
    /// What is read at a time while nobody hurries. The search finds a sync pattern at most 18 symbols and 22 ms behind its
    /// start. A token in `fast` has 52 symbols and is decoded 2 later: 0.36 s are left then. A frame of one byte in `fast` has
    /// 30 symbols, and 0.13 s are left.
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
