import RealModule

/// The microphones of one device, which hear the same talkers at the same time.
public struct MicrophoneArray: Sendable {
    /// One microphone of an array.
    public struct Microphone: Sendable {
        /// Its place in the device, in metres.
        public var placeMetres: SIMD3<Double>
        /// The level of its noise in decibels, relative to that of the air.
        public var noiseDecibels: Double
        /// Whether it records digital silence.
        public var isDead: Bool

        /// Creates a microphone from its properties.
        public init(placeMetres: SIMD3<Double> = SIMD3(), noiseDecibels: Double = 0, isDead: Bool = false) {
            self.placeMetres = placeMetres
            self.noiseDecibels = noiseDecibels
            self.isDead = isDead
        }

        /// The place after a turn about the vertical axis, in radians.
        func turned(by angle: Double) -> SIMD3<Double> {
            let (x, y) = (placeMetres.x, placeMetres.y)
            return SIMD3(x * .cos(angle) - y * .sin(angle), x * .sin(angle) + y * .cos(angle), placeMetres.z)
        }
    }

    /// The microphones; one or more.
    public var microphones: [Microphone]

    /// Creates an array from its microphones.
    public init(_ microphones: [Microphone]) {
        precondition(!microphones.isEmpty, "an array without a microphone")
        self.microphones = microphones
    }

    /// One microphone.
    public static let single = MicrophoneArray([Microphone()])

    /// Microphones in a row, `spacingMetres` apart.
    public static func row(_ count: Int, spacingMetres: Double) -> MicrophoneArray {
        let middle = Double(count - 1) / 2
        return MicrophoneArray(
            (0..<count).map { index in
                Microphone(placeMetres: SIMD3((Double(index) - middle) * spacingMetres, 0, 0))
            })
    }

    /// Microphones on a horizontal circle.
    public static func circle(_ count: Int, radiusMetres: Double) -> MicrophoneArray {
        MicrophoneArray(
            (0..<count).map { index in
                let angle = 2 * Double.pi * Double(index) / Double(count)
                return Microphone(placeMetres: SIMD3(radiusMetres * .cos(angle), radiusMetres * .sin(angle), 0))
            })
    }

    /// The delays in samples, 0 or more, of a plane wave from a horizontal direction; shape [microphones].
    func delays(fromDirection radians: Double, sampleRateHertz: Int) -> [Double] {
        let samplesPerMetre = Double(sampleRateHertz) / SoundInAir.metresPerSecond
        let places = microphones.map { -$0.turned(by: radians).x * samplesPerMetre }
        let first = places.min() ?? 0
        return places.map { $0 - first }
    }
}
