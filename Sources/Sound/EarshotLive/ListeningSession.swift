import EarshotAudio
import EarshotCoding
import EarshotModem

/// The work of one listener: blocks in, events out. It has no thread, device or clock.
struct ListeningSession {
    private(set) var isOver = false
    /// Whether a frame may be on the air.
    var isExpecting: Bool { receivers.isExpecting }

    /// The maximum delay of the last sound before the limit: the start of a device, and the transport of blocks.
    private static let patienceSeconds = 1.0

    private let format: DeviceFormat
    private let options: Listener.Options
    private let limit: Int
    private let receivers: ReceiverBank
    private var merger = ChannelMerger()
    private var mixed: [Float] = []
    private var meter: LevelMeter?
    private var summary = ListenerSummary()
    /// The number of samples so far, lost ones included: the index of the next one.
    private var position = 0
    private var heardFrameCount = 0
    private var lostFrameCount = 0
    /// The cause of the samples missing before the next block.
    private var loss: CaptureNotice.Loss = .overrun
    /// The attempts rejected by the budget that were reported, and the position of the next report.
    private var reportedRejectedCount = 0
    private var nextOverloadReport = 0
    private var endNanoseconds: Int64 = 0
    /// The monotonic time, in nanoseconds.
    private let now: () -> Int64
    private let begin: Int64
    private var isInterrupted = false

    init(format: DeviceFormat, options: Listener.Options, now: @escaping () -> Int64) {
        self.format = format
        self.now = now
        begin = now()
        self.options = options
        let rate = format.sampleRateHertz
        limit = options.secondsLimit.map { Int(($0 * Double(rate)).rounded(.up)) } ?? Int.max
        let channelCount = options.mixesChannels ? 1 : format.channelCount
        do throws(ModemError) {
            receivers = try ReceiverBank(
                channelCount: channelCount, separate: options.separatesChannels || options.reportsEveryChannel,
                sampleRateHertz: rate, profiles: options.profiles,
                combining: options.combinedCount, recognisesTokens: options.recognisesTokens)
        } catch {
            preconditionFailure("a device runs at a rate that was not asked for: \(error)")
        }
        meter = options.levelIntervalSeconds.map {
            LevelMeter(intervalFrameCount: max(1, Int($0 * Double(rate))), sampleRateHertz: rate)
        }
    }

    /// Takes a block.
    mutating func take(
        _ block: CaptureBlock, _ samples: Span<Float>, own: Set<Payload>, ringFill: Double,
        _ onEvent: (ListenerEvent) -> Void
    ) {
        if let notice = block.notice { heed(notice, onEvent) }
        if block.droppedFrameCount > 0 {
            // The times of frames decided in the gap are calculated back from its end.
            endNanoseconds = block.endNanoseconds - nanoseconds(block.frameCount)
            skip(block.droppedFrameCount, own: own, onEvent)
        }
        guard block.frameCount > 0, !isOver else { return }
        endNanoseconds = block.endNanoseconds
        let frameCount = min(block.frameCount, limit - position)
        // Only the last block is cut, and no frame after the cut gets a time.
        position += frameCount
        heardFrameCount += frameCount
        let channelCount = format.channelCount
        meter?.take(samples, channelCount: channelCount)
        var first = 0
        while first < frameCount {
            let count = min(ReceiverBank.blockFrameCount(channelCount: channelCount), frameCount - first)
            push(samples.extracting(first * channelCount..<(first + count) * channelCount), own: own, onEvent)
            first += count
        }
        reportOverload(onEvent)
        let atSeconds = seconds(position)
        if meter?.isDue == true, let report = meter?.report(receivers, atSeconds: atSeconds, ringFill: ringFill) {
            onEvent(.level(report))
            meter?.restart()
        }
        if position >= limit { isOver = true }
    }

    /// Reports attempts that the budget of decoding work did not allow, once a second of sound at most.
    private mutating func reportOverload(_ onEvent: (ListenerEvent) -> Void) {
        guard position >= nextOverloadReport else { return }
        let rejectedCount = receivers.statistics.rejectedByBudget
        guard rejectedCount > reportedRejectedCount else { return }
        onEvent(
            .overloaded(
                Overload(atSeconds: seconds(position), attemptCount: rejectedCount - reportedRejectedCount)))
        reportedRejectedCount = rejectedCount
        nextOverloadReport = position + format.sampleRateHertz
    }

    /// The state of a session whose time limit has passed although its sound has not arrived.
    enum Lateness {
        case none
        /// The device is away, or decoding is late: the sound recorded until now can still be decoded.
        case late
        /// Decoding that sound takes too long.
        case tooLate
    }

    /// The lateness of the sound before the limit.
    var lateness: Lateness {
        guard let limit = options.secondsLimit else { return .none }
        let seconds = Double(now() - begin) / 1e9 - limit
        if seconds > 2 * Self.patienceSeconds { return .tooLate }
        return seconds > (isInterrupted ? 0 : Self.patienceSeconds) ? .late : .none
    }

    /// Reports the frames that can still be found.
    /// - Returns: the summary.
    mutating func finish(own: Set<Payload>, _ onEvent: (ListenerEvent) -> Void) -> ListenerSummary {
        var collected: [(channel: Int, frame: ReceivedFrame)] = []
        receivers.flush { collected.append(($0, $1)) }
        report(collected, own: own, onEvent)
        summary.heardSeconds = seconds(heardFrameCount)
        summary.gapSeconds = seconds(lostFrameCount)
        summary.statistics = receivers.statistics
        return summary
    }

    private mutating func heed(_ notice: CaptureNotice, _ onEvent: (ListenerEvent) -> Void) {
        switch notice {
        case .lost(let reason):
            loss = reason
        case .interrupted(let error):
            isInterrupted = true
            onEvent(.interrupted(error))
        case .resumed(let format, let afterSeconds):
            isInterrupted = false
            onEvent(.resumed(format, afterSeconds: afterSeconds))
        case .ended(let error):
            summary.failure = error
            isOver = true
        }
    }

    private mutating func skip(_ frameCount: Int, own: Set<Payload>, _ onEvent: (ListenerEvent) -> Void) {
        summary.gapCount += 1
        onEvent(.gap(Gap(reason: loss, atSeconds: seconds(position), seconds: seconds(frameCount))))
        position += frameCount
        lostFrameCount += frameCount
        var collected: [(channel: Int, frame: ReceivedFrame)] = []
        receivers.skip(frameCount) { collected.append(($0, $1)) }
        report(collected, own: own, onEvent)
        if position >= limit { isOver = true }
    }

    private mutating func push(_ samples: Span<Float>, own: Set<Payload>, _ onEvent: (ListenerEvent) -> Void) {
        var collected: [(channel: Int, frame: ReceivedFrame)] = []
        if options.mixesChannels, format.channelCount > 1 {
            ChannelMean.take(samples, channelCount: format.channelCount, into: &mixed)
            let mixed = mixed
            receivers.push(mixed.span) { collected.append(($0, $1)) }
        } else {
            receivers.push(samples) { collected.append(($0, $1)) }
        }
        report(collected, own: own, onEvent)
    }

    private mutating func report(
        _ frames: [(channel: Int, frame: ReceivedFrame)], own: Set<Payload>, _ onEvent: (ListenerEvent) -> Void
    ) {
        if options.reportsEveryChannel || format.channelCount == 1 {
            for (channel, frame) in frames { report(frame, channel: channel, own: own, onEvent) }
            return
        }
        for (channel, frame) in frames { merger.add(frame, channel: channel) }
        var merged: [(channel: Int, frame: ReceivedFrame)] = []
        merger.finishBlock(endSample: position, sampleRateHertz: format.sampleRateHertz) { merged.append(($0, $1)) }
        for (channel, frame) in merged { report(frame, channel: channel, own: own, onEvent) }
    }

    private mutating func report(
        _ frame: ReceivedFrame, channel: Int, own: Set<Payload>, _ onEvent: (ListenerEvent) -> Void
    ) {
        summary.frameCount += 1
        let end = endNanoseconds - nanoseconds(position - frame.endSample)
        let start = endNanoseconds - nanoseconds(position - frame.startSample)
        onEvent(
            .heard(
                HeardFrame(
                    frame: frame, channel: channel, sampleRateHertz: format.sampleRateHertz,
                    isOwn: own.contains(frame.payload),
                    latencySeconds: Double(now() - end) / 1e9, startNanoseconds: start)))
    }

    private func seconds(_ frameCount: Int) -> Double { Double(frameCount) / Double(format.sampleRateHertz) }

    private func nanoseconds(_ frameCount: Int) -> Int64 {
        Int64(Double(frameCount) * 1e9 / Double(format.sampleRateHertz))
    }
}
