import EarshotBasics
import RealModule

/// A box-shaped room, simulated by mirror images: distinct early echoes, and a decay that follows from the walls and
/// the air.
///
///     h[n] = Σᵢ gᵢ/√(Σⱼ gⱼ²) · δ(n − F·(dᵢ − d₀)/c)
///
/// dᵢ and gᵢ are the images' distances and gains as in `ImageSources`, d₀ the direct path, δ a windowed sinc. The
/// energy is 1 in the sense of `Room`, so the signal-to-noise ratio after the room counts all arriving sound. (Σ gᵢ²
/// rather than Σ h²: overlapping images add up at 0 Hz, because all have the same sign; in the band their phases are
/// random.) The travel time of the direct sound is removed: it is sample 0, and the sincs of early echoes are cut off
/// before it.
///
/// The absorption of the air is taken at one frequency for the whole band. From 19.25 kHz it differs by ±0.03 dB/m at
/// the band's edges: 1 dB over the 30 m after which an echo at 0.5 dB/m has little energy left.
///
/// Images are included up to RT60, where their sum has fallen by 60 dB; there a single image is much weaker. Cost: 35
/// ns an image; there are 4/3·π·(c·RT60)³/V.
public struct ShoeboxRoom: Sendable {
    /// The size of the box in metres, each ≥ 1, from its corner at 0.
    public let dimensionsMetres: SIMD3<Double>
    /// β₀: the pressure reflection of the three walls at the corner, 0 ... 1.
    public let nearReflections: SIMD3<Double>
    /// β₁: the pressure reflection of the opposite walls, 0 ... 1.
    public let farReflections: SIMD3<Double>
    /// α, the absorption of the air in decibels a metre.
    public let airAbsorptionDecibelsPerMetre: Double

    /// The absorption of air at the band's centre, at 20 °C and 50 % humidity: 0.49 dB/m.
    public static let bandAbsorptionDecibelsPerMetre = SoundInAir.absorptionDecibelsPerMetre(hertz: 19_250)

    /// Creates a room from its properties.
    public init(
        dimensionsMetres: SIMD3<Double>, nearReflections: SIMD3<Double>, farReflections: SIMD3<Double>,
        airAbsorptionDecibelsPerMetre: Double = bandAbsorptionDecibelsPerMetre
    ) {
        precondition(dimensionsMetres.min() >= 1, "a room of \(dimensionsMetres) m, less than 1 m somewhere")
        for reflections in [nearReflections, farReflections] {
            precondition(reflections.min() >= 0 && reflections.max() <= 1, "walls that reflect \(reflections)")
        }
        precondition(airAbsorptionDecibelsPerMetre >= 0)
        self.dimensionsMetres = dimensionsMetres
        self.nearReflections = nearReflections
        self.farReflections = farReflections
        self.airAbsorptionDecibelsPerMetre = airAbsorptionDecibelsPerMetre
        precondition(reverberationSeconds < 5, "a room that reverberates for \(reverberationSeconds) s")
    }

    /// Creates a room with equal walls from the reverberation time without absorption by the air, which is the time
    /// that measurements at a few hundred hertz give. In the band it is shorter, see `reverberationSeconds`.
    ///
    ///     β² = e^{−24·ln 10·V/(c·S·T)}
    public init(
        dimensionsMetres: SIMD3<Double>, wallReverberationSeconds: Double,
        airAbsorptionDecibelsPerMetre: Double = bandAbsorptionDecibelsPerMetre
    ) {
        precondition(wallReverberationSeconds > 0, "an RT60 of \(wallReverberationSeconds) s")
        let (volume, surface) = ShoeboxRoom.volumeAndSurface(dimensionsMetres)
        let exponent = 24 * Double.log(10) * volume / (SoundInAir.metresPerSecond * surface * wallReverberationSeconds)
        let reflections = SIMD3(repeating: Double.exp(-exponent / 2))
        self.init(
            dimensionsMetres: dimensionsMetres, nearReflections: reflections, farReflections: reflections,
            airAbsorptionDecibelsPerMetre: airAbsorptionDecibelsPerMetre)
    }

    /// RT60 in seconds by Eyring's formula, with the air:
    ///
    ///     T = 24·ln 10·V / (c·(−S·ln(1 − ᾱ) + 4·m·V)),   ᾱ = Σ Sᵢ·(1 − βᵢ²)/S,   m = α·ln 10/10
    ///
    /// Eyring counts reflections as if all paths met walls equally often. In a box the paths along its longest axis
    /// meet fewer walls, so the late decay is slower than this.
    public var reverberationSeconds: Double {
        let (volume, surface) = ShoeboxRoom.volumeAndSurface(dimensionsMetres)
        let areas = volume / dimensionsMetres
        let reflected = (areas * (nearReflections * nearReflections + farReflections * farReflections)).sum() / surface
        let air = 4 * airAbsorptionDecibelsPerMetre * .log(10) / 10 * volume
        return 24 * .log(10) * volume / (SoundInAir.metresPerSecond * (-surface * .log(reflected) + air))
    }

    /// h between two random places, at least 0.3 m from every wall and 0.3 m from each other; shape [RT60·F].
    public func impulseResponse(sampleRateHertz: Int, seed: UInt64) -> [Float] {
        let (source, microphone) = places(seed: seed)
        return impulseResponse(sampleRateHertz: sampleRateHertz, source: source, microphone: microphone)
    }

    /// h between a random place and an array at another, turned at random about its vertical axis; shape
    /// [microphones][RT60·F]. The average energy over the microphones is 1, and the direct sound reaches the nearest
    /// one at sample 0.
    public func impulseResponses(at array: MicrophoneArray, sampleRateHertz: Int, seed: UInt64) -> [[Float]] {
        let (source, centre) = places(seed: seed)
        let angle = 2 * Double.pi * Double(seed % 4_096) / 4_096
        let microphones = array.microphones.map { microphone in
            let place = centre + microphone.turned(by: angle)
            return place.clamped(lowerBound: SIMD3(repeating: 0.05), upperBound: dimensionsMetres - 0.05)
        }
        let nearest = microphones.map { ShoeboxRoom.distance(source, $0) }.min() ?? 0
        let responses = microphones.map {
            rawResponse(sampleRateHertz: sampleRateHertz, source: source, microphone: $0, originMetres: nearest)
        }
        let energy = responses.reduce(0) { $0 + $1.energy } / Double(max(responses.count, 1))
        let scale = Float(1 / energy.squareRoot())
        return responses.map { response in response.samples.map { scale * $0 } }
    }

    /// h between two given places; shape [RT60·F].
    public func impulseResponse(
        sampleRateHertz: Int, source: SIMD3<Double>, microphone: SIMD3<Double>
    ) -> [Float] {
        let direct = ShoeboxRoom.distance(source, microphone)
        precondition(direct > 0, "source and microphone are both at \(source) m")
        let (samples, energy) = rawResponse(
            sampleRateHertz: sampleRateHertz, source: source, microphone: microphone, originMetres: direct)
        let scale = Float(1 / energy.squareRoot())
        return samples.map { scale * $0 }
    }

    /// h before its energy becomes 1, and Σ gᵢ². Sample 0 is `originMetres` from the source.
    private func rawResponse(
        sampleRateHertz: Int, source: SIMD3<Double>, microphone: SIMD3<Double>, originMetres: Double
    ) -> (samples: ArraySlice<Float>, energy: Double) {
        let kernel = InterpolationKernel.fullBand
        let samplesPerMetre = Double(sampleRateHertz) / SoundInAir.metresPerSecond
        let count = max(1, Int(reverberationSeconds * Double(sampleRateHertz)))
        let radius = originMetres + (Double(count) - 0.5) / samplesPerMetre
        let images = ImageSources(self, source: source, microphone: microphone, radiusMetres: radius)
        // Pulses extend beyond both ends.
        let lead = kernel.halfWidth - 1
        var response = [Float](repeating: 0, count: count + 2 * kernel.halfWidth)
        var span = response.mutableSpan
        var energy = 0.0
        images.forEach { distance, gain in
            let delay = max((distance - originMetres) * samplesPerMetre, 0)
            let whole = Int(delay)
            var pulse = span._mutatingExtracting(whole..<whole + 2 * kernel.halfWidth)
            kernel.addPulse(to: &pulse, gain: Float(gain), fraction: delay - Double(whole))
            energy += gain * gain
        }
        return (response[lead..<lead + count], energy)
    }

    private static func distance(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
        ((a - b) * (a - b)).sum().squareRoot()
    }

    /// Two random places as in `impulseResponse(sampleRateHertz:seed:)`.
    func places(seed: UInt64) -> (source: SIMD3<Double>, microphone: SIMD3<Double>) {
        var generator = SeededGenerator(seed: seed)
        func place() -> SIMD3<Double> {
            var share = SIMD3<Double>()
            for axis in 0..<3 { share[axis] = Double(generator.uniform()) }
            return 0.3 + share * (dimensionsMetres - 0.6)
        }
        let source = place()
        while true {
            // Even in a room of 1 m, two places out of three are far enough from any other.
            let microphone = place()
            let offset = source - microphone
            if (offset * offset).sum() >= 0.3 * 0.3 { return (source, microphone) }
        }
    }

    private static func volumeAndSurface(_ d: SIMD3<Double>) -> (volume: Double, surface: Double) {
        (d.x * d.y * d.z, 2 * (d.x * d.y + d.y * d.z + d.z * d.x))
    }
}
