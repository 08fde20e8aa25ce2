import RealModule

/// A box-shaped room, by its mirror images: real early echoes, and a decay that follows from the walls and the air.
///
///     h[n] = Σᵢ gᵢ/√(Σⱼ gⱼ²) · δ(n − F·(dᵢ − d₀)/c)
///
/// dᵢ and gᵢ are the images' distances and gains as in `ImageSources`, d₀ the direct path, δ a windowed sinc. Energy 1 in
/// the sense of `Room`, so that the signal-to-noise ratio behind it is that of all that arrives. (Σ gᵢ² rather than Σ h²:
/// images that overlap add up at 0 Hz, because all have the same sign; in the band their phases are random.) The time that
/// the direct sound takes is taken out: it is sample 0, and what the sincs of early echoes have before that is cut off.
///
/// What air absorbs is taken at one frequency for the whole band. From 19.25 kHz it differs by ±0.03 dB/m at the band's
/// edges: 1 dB over the 30 m after which an echo at 0.5 dB/m has little left.
///
/// Images are followed for RT60, to where their sum is 60 dB down; each alone is far below that by then. Cost: 35 ns an
/// image, of which there are 4/3·π·(c·RT60)³/V.
public struct ShoeboxRoom: Sendable {
    /// The box, from its corner at 0.
    public let dimensionsMetres: SIMD3<Double>
    /// β₀: what the three walls at the corner reflect of the pressure, 0 ... 1.
    public let nearReflections: SIMD3<Double>
    /// β₁: the same for the walls across.
    public let farReflections: SIMD3<Double>
    /// α of the air.
    public let airAbsorptionDecibelsPerMetre: Double

    /// What air takes at the band's centre, at 20 °C and 50 % humidity: 0.49 dB/m.
    public static let bandAbsorptionDecibelsPerMetre = SoundInAir.absorptionDecibelsPerMetre(hertz: 19_250)

    /// See the properties of the same names.
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

    /// Walls that are all alike, by how long a sound dies away that air does not absorb: what is measured at a few hundred
    /// hertz. In the band it is shorter, see `reverberationSeconds`.
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

    /// RT60 as Eyring has it, the air included:
    ///
    ///     T = 24·ln 10·V / (c·(−S·ln(1 − ᾱ) + 4·m·V)),   ᾱ = Σ Sᵢ·(1 − βᵢ²)/S,   m = α·ln 10/10
    ///
    /// Eyring counts reflections as if all paths met walls equally often. In a box the paths along its longest axis meet
    /// fewer: the late decay is slower than this.
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

    /// h between two places; shape [RT60·F].
    public func impulseResponse(
        sampleRateHertz: Int, source: SIMD3<Double>, microphone: SIMD3<Double>
    ) -> [Float] {
        let offset = source - microphone
        let direct = (offset * offset).sum().squareRoot()
        precondition(direct > 0, "source and microphone are both at \(source) m")
        let kernel = InterpolationKernel.fullBand
        let samplesPerMetre = Double(sampleRateHertz) / SoundInAir.metresPerSecond
        let count = max(1, Int(reverberationSeconds * Double(sampleRateHertz)))
        let radius = direct + (Double(count) - 0.5) / samplesPerMetre
        let images = ImageSources(self, source: source, microphone: microphone, radiusMetres: radius)
        // Pulses reach beyond both ends.
        let lead = kernel.halfWidth - 1
        var response = [Float](repeating: 0, count: count + 2 * kernel.halfWidth)
        var span = response.mutableSpan
        var energy = 0.0
        images.forEach { distance, gain in
            let delay = max((distance - direct) * samplesPerMetre, 0)
            let whole = Int(delay)
            var pulse = span._mutatingExtracting(whole..<whole + 2 * kernel.halfWidth)
            kernel.addPulse(to: &pulse, gain: Float(gain), fraction: delay - Double(whole))
            energy += gain * gain
        }
        let scale = Float(1 / energy.squareRoot())
        return response[lead..<lead + count].map { scale * $0 }
    }

    /// Two random places, see `impulseResponse`.
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
