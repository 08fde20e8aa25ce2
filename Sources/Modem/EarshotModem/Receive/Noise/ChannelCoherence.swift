import RealModule

/// The noise that the channels have in common: g, the correlation of each pair's energies, which is |γ|² of their
/// noise, 0 ... 1.
///
/// The microphones of a device share the noise of a near source, and both sides of a stereo recording may be the same.
/// Sums over channels then vary more than those of independent noise. It is measured on the cells of the search, at one
/// time and frequency, independent of the delay between the channels. Cells are limited, so that frames, which are in
/// all channels, have little effect.
struct ChannelCoherence: Equatable {
    /// Cells are limited to this; noise's mean is 0.64.
    static let maximumCell: Float = 1.2
    /// g is rounded down to sixteenths, because chance and frames cause smaller values.
    private static let steps: Float = 16
    /// The share of a sum that the next block keeps: the memory is 32 blocks.
    private static let kept: Float = 1 - 1.0 / 32

    /// g; shape [8][8].
    private var values = SIMD64<Float>()

    /// Sums over cells of one pair: the number, x, y, x², y², x·y.
    private var sums = InlineArray<64, SIMD8<Float>>(repeating: SIMD8())

    static func == (a: ChannelCoherence, b: ChannelCoherence) -> Bool { a.values == b.values }

    /// g of a pair.
    subscript(a: Int, b: Int) -> Float { values[8 * a + b] }

    /// Adds the sums over a block of one pair.
    mutating func add(_ block: SIMD8<Float>, _ a: Int, _ b: Int) {
        let pair = 8 * a + b
        sums[pair] = sums[pair] * ChannelCoherence.kept + block
        let all = sums[pair]
        let scale = 1 / max(all[0], 1)
        let (x, y) = (all[1] * scale, all[2] * scale)
        let variances = max(all[3] * scale - x * x, 0) * max(all[4] * scale - y * y, 0)
        let covariance = max(all[5] * scale - x * y, 0)
        let correlation = variances > 1e-12 ? min(covariance / variances.squareRoot(), 1) : 0
        values[pair] = (correlation * ChannelCoherence.steps).rounded(.down) / ChannelCoherence.steps
        values[8 * b + a] = values[pair]
    }

    /// The variances of the sum of the channels' energies: the eigenvalues of √(r_a·r_b·g_ab), with r_a on the
    /// diagonal. This is the worst case of the phases between the channels.
    func variances(of shares: ChannelShares) -> SIMD8<Float> {
        var matrix = values
        var isIndependent = true
        for a in 0..<8 {
            for b in 0..<8 {
                let product = shares.values[a] * shares.values[b] * values[8 * a + b]
                matrix[8 * a + b] = a == b ? shares.values[a] : product.squareRoot()
                isIndependent = isIndependent && (a == b || product == 0)
            }
        }
        guard !isIndependent else { return shares.values }
        // Jacobi's rotations; a few sweeps leave only the diagonal.
        for _ in 0..<6 {
            for a in 0..<7 {
                for b in a + 1..<8 where abs(matrix[8 * a + b]) > 1e-5 { ChannelCoherence.rotate(&matrix, a, b) }
            }
        }
        var found = SIMD8<Float>()
        for a in 0..<8 { found[a] = max(matrix[9 * a], 0) }
        return found
    }

    /// One rotation: element (a, b) of a symmetric matrix becomes 0.
    private static func rotate(_ matrix: inout SIMD64<Float>, _ a: Int, _ b: Int) {
        let turn = (matrix[9 * b] - matrix[9 * a]) / (2 * matrix[8 * a + b])
        let tangent = (turn >= 0 ? 1 : -1) / (abs(turn) + (turn * turn + 1).squareRoot())
        let cosine = 1 / (tangent * tangent + 1).squareRoot()
        let sine = tangent * cosine
        for k in 0..<8 {
            let (p, q) = (matrix[8 * k + a], matrix[8 * k + b])
            (matrix[8 * k + a], matrix[8 * k + b]) = (cosine * p - sine * q, sine * p + cosine * q)
        }
        for k in 0..<8 {
            let (p, q) = (matrix[8 * a + k], matrix[8 * b + k])
            (matrix[8 * a + k], matrix[8 * b + k]) = (cosine * p - sine * q, sine * p + cosine * q)
        }
    }
}
