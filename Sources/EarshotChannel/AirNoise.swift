/// What is heard beside the talkers.
public enum AirNoise: Sendable {
    /// Noise by its colour, as loud in the band as white noise of the same signal-to-noise ratio.
    case coloured(NoiseColour)
    /// A recording, as loud in the band on the average.
    case recorded(NoiseRecording)
}

/// A recording that can be noise: not empty, and with something in the band. Made once, for any number of sounds.
public struct NoiseRecording: Sendable {
    /// As loud in the band as white noise of deviation 1.
    private let noise: RecordedNoise
    private let sampleRateHertz: Int
    /// Of all of it, where that of white noise as loud in the band is 1.
    let totalDeviation: Float

    /// - Parameter sampleRateHertz: of the samples, and of all sounds that it will be mixed with.
    public init(_ samples: [Float], sampleRateHertz: Int) throws(RecordedNoiseError) {
        self.sampleRateHertz = sampleRateHertz
        noise = try RecordedNoise(samples, deviation: 1, sampleRateHertz: sampleRateHertz, seed: 0)
        let power = samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)
        totalDeviation = noise.gain * Float(power.squareRoot())
    }

    func sound(deviation: Float, sampleRateHertz: Int, seed: UInt64) -> any SoundSource {
        precondition(sampleRateHertz == self.sampleRateHertz, "noise of \(self.sampleRateHertz) Hz")
        return Scaled(noise.begun(seed: seed), gain: deviation)
    }
}
