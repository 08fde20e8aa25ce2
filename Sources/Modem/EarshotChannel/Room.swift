import RealModule

/// A room as an exponentially decaying echo after a direct sound.
///
///     h[n] = d·δ[n] + r·g[n]·e^{−6.908·n/(F·RT60)},   Σ(r·g·e)² = 1/(1 + DRR),  d² = DRR/(1 + DRR),   g normal
///
/// The average of the total energy over seeds is 1 (the echo also begins in sample 0, with either sign), so the
/// signal-to-noise ratio after the room counts all arriving sound. With this decay constant the energy falls by 60 dB
/// in RT60. Each seed is another place in the room.
public struct Room: Sendable {
    /// RT60, the time in which the echo decays by 60 dB, in seconds.
    public let reverberationSeconds: Double
    /// DRR, the ratio of direct to reverberant energy in decibels; nil means no direct sound.
    public let directToReverberantDecibels: Double?

    /// Creates a room from its properties.
    public init(reverberationSeconds: Double, directToReverberantDecibels: Double?) {
        self.reverberationSeconds = reverberationSeconds
        self.directToReverberantDecibels = directToReverberantDecibels
    }

    /// A small room at the critical distance: RT60 0.2 s, DRR 0 dB.
    public static let a = Room(reverberationSeconds: 0.2, directToReverberantDecibels: 0)
    /// The far side of a large room: RT60 0.3 s, DRR −6 dB.
    public static let b = Room(reverberationSeconds: 0.3, directToReverberantDecibels: -6)
    /// A large room without a direct path: RT60 0.3 s.
    public static let c = Room(reverberationSeconds: 0.3, directToReverberantDecibels: nil)

    /// h, the impulse response; shape [RT60·F].
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
