import CEarshot
import EarshotCoding
import EarshotModem
import Synchronization

/// The object of an `earshot_receiver`: receivers, and the frames that wait for the caller.
///
/// A caller may use it from several threads one after another. `isBusy` turns two simultaneous calls, which are a
/// mistake, into an error.
final class ReceiverHandle {
    private let isBusy = Atomic(false)
    private let channelCount: Int
    private let receivers: ReceiverBank
    private var isFlushed = false
    private var waiting = WaitingFrames()

    init(_ options: earshot_receiver_options) throws(ArgumentError) {
        let rate = try checkedRate(options.sample_rate_hertz)
        let profiles = try Profile.masked(options.profiles == 0 ? UInt32(EARSHOT_ALL_PROFILES) : options.profiles)
        guard options.channel_count <= EARSHOT_MAXIMUM_CHANNELS else { throw ArgumentError(EARSHOT_ERROR_CHANNELS) }
        let repeatCount = try checkedBurstCount(options.combine_count)
        let flags = Int(options.flags)
        guard flags & ~(EARSHOT_SEPARATE_CHANNELS | EARSHOT_RECOGNISE_TOKENS) == 0, options.reserved == 0 else {
            throw ArgumentError(EARSHOT_ERROR_FLAGS)
        }
        channelCount = max(Int(options.channel_count), 1)
        do throws(ModemError) {
            receivers = try ReceiverBank(
                channelCount: channelCount, separate: flags & EARSHOT_SEPARATE_CHANNELS != 0, sampleRateHertz: rate,
                profiles: profiles, combining: repeatCount,
                recognisesTokens: flags & EARSHOT_RECOGNISE_TOKENS != 0)
        } catch {
            throw ArgumentError(EARSHOT_ERROR_RATE)
        }
    }

    /// Runs one call. It is refused while another call runs.
    func exclusively(_ body: (ReceiverHandle) throws(ArgumentError) -> Void) throws(ArgumentError) {
        guard !isBusy.exchange(true, ordering: .acquiring) else { throw ArgumentError(EARSHOT_ERROR_BUSY) }
        defer { isBusy.store(false, ordering: .releasing) }
        try body(self)
    }

    /// Passes samples to the receivers, in blocks of the size that they accept.
    /// - Parameters:
    ///   - samples: shape [sampleCount][channelCount].
    ///   - sampleCount: samples of each channel.
    func push<Sample: InputSample>(
        _ samples: UnsafePointer<Sample>?, _ sampleCount: Int
    ) throws(ArgumentError) {
        let (byteCount, isTooLarge) = sampleCount.multipliedReportingOverflow(
            by: channelCount * MemoryLayout<Sample>.stride)
        // A size_t above the maximum of Int becomes a negative number.
        guard sampleCount >= 0, !isTooLarge else { throw ArgumentError(EARSHOT_ERROR_COUNT) }
        guard byteCount > 0 else { return try takeInput { _ in } }
        let all = try samples.checked()
        try takeInput { report in
            let blockFrameCount = ReceiverBank.blockFrameCount(channelCount: channelCount)
            for first in stride(from: 0, to: sampleCount, by: blockFrameCount) {
                let block = UnsafeBufferPointer(
                    start: all + first * channelCount,
                    count: min(blockFrameCount, sampleCount - first) * channelCount)
                Sample.push(block.span, to: receivers, report)
            }
        }
    }

    func skip(_ sampleCount: UInt64) throws(ArgumentError) {
        try takeInput { receivers.skip(SampleIndex(clamping: sampleCount), onFrame: $0) }
    }

    func flush() throws(ArgumentError) {
        guard !isFlushed else { return }
        // This is the end even if frames are dropped.
        defer { isFlushed = true }
        try takeInput { receivers.flush(onFrame: $0) }
    }

    /// Takes the first of the frames that wait; nil if there is none.
    func poll() -> earshot_frame? {
        waiting.takeFirst()
    }

    /// Lets `body` pass input to the receivers, and stores the frames that they report.
    private func takeInput(_ body: ((Int, ReceivedFrame) -> Void) -> Void) throws(ArgumentError) {
        guard !isFlushed else { throw ArgumentError(EARSHOT_ERROR_FLUSHED) }
        var hasDropped = false
        body { channel, frame in
            if !waiting.append(earshot_frame(frame, channel: channel)) {
                hasDropped = true
            }
        }
        if hasDropped {
            throw ArgumentError(EARSHOT_ERROR_DROPPED)
        }
    }
}

/// A sample in a format of the receivers.
protocol InputSample: BitwiseCopyable {
    /// Passes a block to receivers.
    static func push(_ block: Span<Self>, to receivers: ReceiverBank, _ report: (Int, ReceivedFrame) -> Void)
}

extension Float: InputSample {
    static func push(_ block: Span<Float>, to receivers: ReceiverBank, _ report: (Int, ReceivedFrame) -> Void) {
        receivers.push(block, onFrame: report)
    }
}

extension Int16: InputSample {
    static func push(_ block: Span<Int16>, to receivers: ReceiverBank, _ report: (Int, ReceivedFrame) -> Void) {
        receivers.push(block, onFrame: report)
    }
}

/// The frames that wait for the caller, the oldest first; at most EARSHOT_MAXIMUM_WAITING.
private struct WaitingFrames {
    private var frames: [earshot_frame] = []
    /// The index of the oldest frame; those before it were taken.
    private var firstIndex = 0

    /// - Returns: false if there is no room.
    mutating func append(_ frame: earshot_frame) -> Bool {
        if frames.count == EARSHOT_MAXIMUM_WAITING {
            guard firstIndex > 0 else { return false }
            frames.removeFirst(firstIndex)
            firstIndex = 0
        }
        frames.append(frame)
        return true
    }

    mutating func takeFirst() -> earshot_frame? {
        guard firstIndex < frames.count else { return nil }
        let frame = frames[firstIndex]
        firstIndex += 1
        if firstIndex == frames.count {
            frames.removeAll(keepingCapacity: true)
            firstIndex = 0
        }
        return frame
    }
}

extension earshot_frame {
    fileprivate init(_ frame: ReceivedFrame, channel: Int) {
        self.init()
        withUnsafeMutableBytes(of: &payload) { bytes in
            for index in 0..<frame.payload.count {
                bytes[index] = frame.payload[index]
            }
        }
        payload_size = UInt32(frame.payload.count)
        profile = Profile.mask(named: frame.profileName)
        start_sample = Int64(frame.startSample)
        end_sample = Int64(frame.endSample)
        offset_hertz = frame.offsetHertz
        snr_decibels = frame.snrDecibels
        path_metric = frame.pathMetric
        self.channel = UInt32(channel)
        combined_count = UInt32(frame.combinedCount)
        is_recognised = frame.isRecognised ? 1 : 0
    }
}
