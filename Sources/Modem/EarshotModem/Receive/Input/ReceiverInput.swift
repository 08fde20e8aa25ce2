import EarshotDSP

/// The input of a receiver: from interleaved samples to the histories of each channel's baseband.
///
/// All channels have the same length, so they use the same quanta. `BasebandInput` does the work of one channel; this
/// type separates the channels and compares them (`ChannelHistories`). No allocation after `init`.
struct ReceiverInput: ~Copyable {
    /// The latest seconds of baseband of each channel, without pilot tones and without the frames that were cancelled.
    let histories: ChannelHistories
    /// The latest second or more of the unchanged baseband.
    let heard: ChannelHistories

    private var channels: OwnedList<BasebandInput>

    /// - Parameters:
    ///   - sampleRateHertz: the sample rate of each channel.
    ///   - channelCount: the number of channels, 1 to `ChannelHistories.maximumCount`.
    ///   - profiles: the receiver's profiles, which share one band.
    ///   - keptCount: the number of samples that `histories` keep.
    ///   - heardCount: the number of samples that `heard` keeps.
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

    /// Converts a block of at most `BasebandInput.maximumBlock` frames. All of the previous block must have been
    /// appended.
    mutating func take(_ block: SampleBlock) {
        for channel in channels.indices { channels[channel].take(block.from(channel: channel)) }
    }

    /// Begins after lost samples of baseband; see `BasebandInput.begin`.
    mutating func begin(behindLost count: Int) {
        for channel in channels.indices { channels[channel].begin(behindLost: count) }
    }

    /// Skips lost samples of each channel.
    mutating func skip(_ sampleCount: SampleIndex) {
        for channel in channels.indices { channels[channel].skip(sampleCount) }
    }

    /// Appends waiting samples: whole quanta up to the first one that ends at `index` or later, or at which a channel
    /// looks for pilot tones.
    /// - Returns: whether the histories end with a whole quantum now; false when no sample waits.
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

    /// At the end of a quantum, tracks the known pilot tones of each channel and looks for others.
    /// - Returns: the index from which new pilot tones were removed from a history; nil if none was found.
    mutating func cancelPilots() -> Int? { firstChange { $0.cancelPilots() } }

    /// At the end of a quantum, looks for swept tones in each channel.
    /// - Returns: the index from which a new sweep was removed from a history; nil if none was found.
    mutating func cancelSweeps() -> Int? { firstChange { $0.cancelSweeps() } }

    /// The lowest index from which `change` changes a channel's history; nil if it changes none.
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
