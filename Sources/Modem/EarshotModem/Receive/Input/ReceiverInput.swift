import EarshotDSP

/// The input of a receiver: interleaved samples of its channels to the histories of each channel's baseband.
///
/// All channels are as long, so they take the same quanta. The channels' own work is that of `BasebandInput`; here they come
/// apart, and are compared (`ChannelHistories`). No allocation after `init`.
struct ReceiverInput: ~Copyable {
    /// The latest seconds of baseband of each channel, without pilot tones and without the frames that were cancelled.
    let histories: ChannelHistories
    /// The latest second or more as it was heard.
    let heard: ChannelHistories

    private var channels: OwnedList<BasebandInput>

    /// - Parameters:
    ///   - sampleRateHertz: that of each channel.
    ///   - channelCount: the number of channels, 1 to `ChannelHistories.maximumCount`.
    ///   - profiles: those of the receiver; they share one band.
    ///   - keptCount: how many samples `histories` keep.
    ///   - heardCount: how many samples `heard` keeps.
    init(sampleRateHertz: Int, channelCount: Int, profiles: [Profile], keptCount: Int, heardCount: Int) {
        let channels = OwnedList(count: channelCount) { _ in
            BasebandInput(
                sampleRateHertz: sampleRateHertz, profiles: profiles, keptCount: keptCount, heardCount: heardCount)
        }
        histories = ChannelHistories(channels.indices.map { channels[$0].history })
        heard = ChannelHistories(channels.indices.map { channels[$0].heard })
        self.channels = channels
    }

    /// The number of channels.
    var channelCount: Int { channels.count }
    /// The place of the baseband in the input.
    var clock: InputClock { channels[0].clock }
    /// The pilot tones of a channel.
    func pilotCount(channel: Int) -> Int { channels[channel].pilots.count }

    /// Converts a block of at most `BasebandInput.maximumBlock` frames, after all of the block before was appended.
    mutating func take(_ block: SampleBlock) {
        for channel in channels.indices { channels[channel].take(block.from(channel: channel)) }
    }

    /// Begins behind lost samples of baseband; see `BasebandInput.begin`.
    mutating func begin(behindLost count: Int) {
        for channel in channels.indices { channels[channel].begin(behindLost: count) }
    }

    /// Passes over samples of each channel that were lost.
    mutating func skip(_ sampleCount: SampleIndex) {
        for channel in channels.indices { channels[channel].skip(sampleCount) }
    }

    /// Appends what waits: whole quanta up to the first one that ends at `index` or later, or where a channel looks for pilot
    /// tones.
    /// - Returns: whether the histories end with a whole quantum now; false when nothing waits any more.
    mutating func appendQuanta(before index: Int) -> Bool {
        let end = histories.endIndex
        var idleCount = Int.max
        for channel in channels.indices { idleCount = min(idleCount, channels[channel].idleCount(before: index)) }
        var isWhole = false
        for channel in channels.indices {
            channels[channel].appendIdle(idleCount)
            isWhole = channels[channel].appendQuantum()
        }
        if isWhole { histories.noteCopies(from: end - end % BasebandFormat.quantum, BasebandFormat.quantum) }
        return isWhole
    }

    /// Follows the known pilot tones of each channel and looks for others, at the end of a quantum.
    /// - Returns: the index from which on a history is without pilot tones that were found now; nil where none was.
    mutating func cancelPilots() -> Int? { firstChange { $0.cancelPilots() } }

    /// Looks for swept tones in each channel, at the end of a quantum.
    /// - Returns: the index from which on a history is without a sweep that was found now; nil where none was.
    mutating func cancelSweeps() -> Int? { firstChange { $0.cancelSweeps() } }

    /// The lowest index from which on `change` changes a channel's history; nil where it changes none.
    private mutating func firstChange(_ change: (inout BasebandInput) -> Int?) -> Int? {
        var first: Int?
        for channel in channels.indices {
            guard let index = change(&channels[channel]) else { continue }
            first = min(first ?? index, index)
        }
        return first
    }

    /// See `BasebandInput.passOverHole`; holes are common to all channels.
    mutating func passOverHole() -> Int? {
        var rewound: Int?
        for channel in channels.indices { rewound = channels[channel].passOverHole() }
        if let rewound { histories.rewind(rewound) }
        return rewound
    }
}
