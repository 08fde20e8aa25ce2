/// The share of each channel at a place: its weight over the best channel's, 0 ... 1. The best channel has 1; a channel
/// that hears nothing there has 0.
struct ChannelShares: Equatable {
    /// A channel below this share is ignored: its noise would outweigh its signal, and it costs time.
    private static let minimum: Float = 0.1
    private static let clear: Float = 0.4

    /// r; shape [channels or more].
    private(set) var values: SIMD8<Float>
    /// The channel with the share 1.
    private(set) var best: Int

    /// One channel alone.
    static func alone(_ channel: Int) -> ChannelShares {
        var weights = SIMD8<Float>()
        weights[channel] = 1
        return ChannelShares(weights: weights)
    }

    /// The shares for weights ≥ 0. If none is above 0, the first channel is the best.
    init(weights: SIMD8<Float>) {
        best = 0
        for channel in weights.indices where weights[channel] > weights[best] {
            best = channel
        }
        values = weights[best] > 0 ? weights / weights[best] : SIMD8()
        values.replace(with: 0, where: values .< ChannelShares.minimum)
        values[best] = 1
    }

    /// The same shares with another channel as the best one.
    func preferring(_ channel: Int) -> ChannelShares {
        var weights = values
        weights[channel] = weights.max()
        var shares = ChannelShares(weights: weights)
        shares.best = channel
        return shares
    }

    /// Whether a channel heard the frame, beyond doubt: noise may give a share of 0.2.
    func isClear(_ channel: Int) -> Bool { values[channel] >= ChannelShares.clear }

    /// Whether only the best channel counts.
    var isAlone: Bool { values.sum() == 1 }
}
