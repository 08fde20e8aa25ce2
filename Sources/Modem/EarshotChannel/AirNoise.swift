/// The noise at the microphone.
public enum AirNoise: Sendable {
    /// Noise of a colour, as loud in the band as white noise of the same signal-to-noise ratio.
    case coloured(NoiseColour)
    /// A recording with the same average level in the band.
    case recorded(NoiseRecording)
}

/// A recording usable as noise: not empty, and with energy in the band. Prepared once, for any number of sounds.
public struct NoiseRecording: Sendable {
    /// The noise, as loud in the band as white noise of deviation 1.
    private let noise: RecordedNoise
    private let sampleRateHertz: Int
    /// The standard deviation over all frequencies, relative to white noise of the same level in the band.
    let totalDeviation: Float

    /// Prepares a recording.
    ///
    /// - Parameters:
    ///   - samples: the recording, one channel.
    ///   - sampleRateHertz: the sample rate of the samples, and of all sounds to mix with them.
    /// - Throws: `RecordedNoiseError`, any of its cases.
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
