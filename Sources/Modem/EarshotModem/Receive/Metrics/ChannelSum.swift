import RealModule

/// The energies of several channels in one number that has the statistics of one channel's.
///
///     s = Σ_a r_a·x_a,   x̂ = −ln P(s),   P(s): the probability that noise has s or more
///
/// x_a is a channel's energy over its noise, exponentially distributed in noise, and r_a the channel's share, 1 for the
/// best channel. x̂ grows with s and is exponentially distributed in noise as well, so all limits, tables and medians
/// for one channel hold for any number. For one channel x̂ = x.
///
/// P follows channel by channel, scaled by e^s:
///
///     P₁ = e^{−s},   P_a' = (P_{a−1} − P_a)/r_a,   P_a(0) = 1
///
/// If the channels have noise in common, the variances of `ChannelCoherence`, over the greatest of them, replace r.
///
/// Two equal channels gain 2.04 dB at this code's rate, and four 3.99 dB (32 tones, the rate of ln(1 + x̂) as the
/// decoder's metric). Cost: about 10³ additions for new shares, a table look-up for each energy. No allocation after
/// `init`.
struct ChannelSum: ~Copyable {
    private static let cellsPerUnit: Float = 8
    private static let cellCount = 256
    /// Variances below this share of the greatest make no difference.
    private static let minimumShare: Float = 0.02

    /// The shares of the table.
    private var shares = ChannelShares.alone(0)
    private var coherence = ChannelCoherence()
    /// 1 over the greatest variance.
    private var scale: Float = 1
    /// s − x̂.
    private var table = [Float](repeating: 0, count: cellCount + 1)
    private var scaled = [Double](repeating: 1, count: cellCount + 1)

    /// Computes the table for these shares, unless it is the current one.
    mutating func prepare(_ shares: ChannelShares, _ coherence: ChannelCoherence = ChannelCoherence()) {
        guard shares != self.shares || coherence != self.coherence else { return }
        (self.shares, self.coherence) = (shares, coherence)
        for cell in scaled.indices { scaled[cell] = 1 }
        let variances = coherence.variances(of: shares)
        var greatest = 0
        for index in variances.indices where variances[index] > variances[greatest] { greatest = index }
        scale = 1 / variances[greatest]
        for index in variances.indices where index != greatest && scale * variances[index] >= ChannelSum.minimumShare {
            add(share: Double(scale * variances[index]))
        }
        for cell in table.indices { table[cell] = Float(Double.log(scaled[cell])) }
    }

    /// Adds a channel: R' = (R_before − (1 − r)·R)/r, exact if R_before is linear between two cells.
    private mutating func add(share: Double) {
        let step = 1 / Double(ChannelSum.cellsPerUnit)
        let decay = (1 - share) / share
        let kept = Double.exp(-decay * step)
        // ∫ e^{−decay·u} du, and ∫ u·e^{−decay·(step − u)} du.
        let whole = decay * step > 1e-4 ? (1 - kept) / decay : step
        let ramp = decay * step > 1e-4 ? (step - whole) / decay : step * step / 2
        var (sum, before) = (1.0, scaled[0])
        for cell in 1..<scaled.count {
            let next = scaled[cell]
            sum = sum * kept + (before * whole + (next - before) * ramp / step) / share
            before = next
            scaled[cell] = sum
        }
    }

    /// Replaces s by x̂, in units of each tone's own noise; shape [any][M].
    /// - Parameters:
    ///   - energies: s·N.
    ///   - inverseNoise: 1/N; shape [M or more]. If it is 0, x̂ is 0.
    func makeEquivalent(_ energies: inout MutableSpan<Float>, inverseNoise: [Float], toneCount: Int) {
        let inverse = inverseNoise.span
        for first in stride(from: 0, to: energies.count, by: toneCount) {
            for tone in 0..<toneCount {
                let sum = energies[first + tone] * inverse[tone]
                energies[first + tone] = inverse[tone] > 0 ? equivalent(sum) / inverse[tone] : 0
            }
        }
    }

    /// x̂ of s ≥ 0.
    func equivalent(_ sum: Float) -> Float {
        let sum = sum * scale
        let place = min(sum * ChannelSum.cellsPerUnit, Float(ChannelSum.cellCount) - 0.01)
        let cell = Int(place)
        let excess = table[cell] + (place - Float(cell)) * (table[cell + 1] - table[cell])
        return max(sum - excess, 0)
    }
}
