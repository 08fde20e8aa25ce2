import RealModule

/// A room as an exponentially decaying echo behind a direct sound.
///
///     h[n] = d·δ[n] + r·g[n]·e^{−6.908·n/(F·RT60)},   Σ(r·g·e)² = 1/(1 + DRR),  d² = DRR/(1 + DRR),   g normal
///
/// Total energy 1 on the average over seeds (the echo also begins in sample 0, with either sign), so that the
/// signal-to-noise ratio behind it is that of all that arrives. The decay constant makes the energy fall by 60 dB in
/// RT60. Every seed is another place in the room.
public struct Room: Sendable {
    /// RT60.
    public let reverberationSeconds: Double
    /// DRR: direct over reverberant energy; nil means no direct sound at all.
    public let directToReverberantDecibels: Double?

    /// See the properties of the same names.
    public init(reverberationSeconds: Double, directToReverberantDecibels: Double?) {
        self.reverberationSeconds = reverberationSeconds
        self.directToReverberantDecibels = directToReverberantDecibels
    }

    /// A small room at the critical distance.
    public static let a = Room(reverberationSeconds: 0.2, directToReverberantDecibels: 0)
    /// Across a large room.
    public static let b = Room(reverberationSeconds: 0.3, directToReverberantDecibels: -6)
    /// A large room without a direct path.
    public static let c = Room(reverberationSeconds: 0.3, directToReverberantDecibels: nil)

    /// h; shape [RT60·F].
    public func impulseResponse(sampleRateHertz: Int, seed: UInt64) -> [Float] {
        var noise = WhiteNoise(seed: seed)
        let count = max(1, Int(reverberationSeconds * Double(sampleRateHertz)))
        let decay = -6.908 / Double(count)
        var response = (0..<count).map { Double(noise.next()) * .exp(decay * Double($0)) }
        let energy = response.reduce(0) { $0 + $1 * $1 }
        let ratio = directToReverberantDecibels.map { Double.pow(10, $0 / 10) } ?? 0
        let scale = (1 / (1 + ratio) / energy).squareRoot()
        for index in response.indices {
            response[index] *= scale
        }
        response[0] += (ratio / (1 + ratio)).squareRoot()
        return response.map { Float($0) }
    }

    /// The sound in the room: x convolved with h, as long as both together less one.
    public func apply(to samples: [Float], sampleRateHertz: Int, seed: UInt64) -> [Float] {
        convolve(samples, impulseResponse(sampleRateHertz: sampleRateHertz, seed: seed))
    }
}
