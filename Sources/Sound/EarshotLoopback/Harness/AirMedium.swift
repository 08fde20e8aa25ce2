package import EarshotAudio
import EarshotBasics
package import EarshotChannel

/// Simulated air between transmitter and receiver: one of the named channels, with clocks that differ and a walking person.
///
/// Each token is sent from another place; the sweeps come from one place that does not move. Clocks stretch the whole program,
/// Doppler stretches a token from its beginning on: tokens alternately approach and recede. `AirScene` defines the
/// signal-to-noise ratio. The microphone's gain keeps the noise from clipping.
///
/// It stores only the current sounds, not the whole program.
package struct AirMedium: LoopbackMedium {
    /// The power of a sine at the signal's peak over the noise in 1,500 Hz, in decibels.
    package var snrDecibels = 20.0
    /// The echoes, filters and interference of the channel.
    package let channel: AirPreset
    /// How much faster the recorder's clock runs than the player's, in parts per million. The recording is longer by
    /// this.
    package var clockPPM = 0.0
    /// The speed at which the talker walks by, in m/s.
    package var speedMetresPerSecond = 0.0

    private static let blockLength = 4_096
    /// Peaks of noise are some 14 dB above its deviation.
    private static let maximumNoiseDeviation: Float = 0.125

    /// White noise at 20 dB.
    package init() {
        channel = .whiteNoise
    }

    /// A named channel at 20 dB; nil for a channel with several talkers, lost samples or another sample rate: the harness sends one
    /// token at a time, and accounts for every sample.
    package init?(channel: AirPreset) {
        let air = channel.air
        guard air.talkerLevelsDecibels.count == 1, air.gaps == nil, air.receiverRateHertz == nil else { return nil }
        self.channel = channel
    }

    /// A text such as "simulated air, SNR 20 dB".
    package var description: String {
        var parts = ["simulated air, SNR \(text(snrDecibels)) dB"]
        if channel.name != AirPreset.whiteNoise.name { parts.append(channel.name) }
        if clockPPM != 0 { parts.append("clocks \(text(clockPPM)) ppm apart") }
        if speedMetresPerSecond != 0 { parts.append("±\(text(speedMetresPerSecond)) m/s") }
        return parts.joined(separator: ", ")
    }

    private func text(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    /// Simulates the whole program, faster than real time.
    /// - Throws: `AudioError`.
    package func carry(_ run: LoopbackRun) throws(AudioError) {
        let program = run.program
        var ear = OfflineEar(run)
        var sound = sound(of: program)
        run.left(0, atSeconds: 0)
        var position = 0
        while !run.isCancelled {
            let block = sound.read(count: Self.blockLength)
            if block.isEmpty { break }
            ear.hear(block.span)
            position += block.count
            let left = min(program.sampleCount, Int(Double(position) * (1 + clockOffset)))
            run.left(left, atSeconds: ear.seconds)
            run.progressed(to: Double(left) / Double(program.sampleCount))
        }
        ear.finish()
    }

    /// The program at the microphone, with noise.
    package func sound(of program: LoopbackProgram) -> some SoundSource {
        let prepared = PreparedAir(channel.air, sampleRateHertz: program.sampleRateHertz)
        var generator = SeededGenerator(seed: program.order.seed &+ 1)
        let deviation = prepared.noiseDeviation(amplitude: program.order.amplitude, snrDecibels: snrDecibels)
        return Scaled(
            prepared.microphoneSound(
                AirMixer(program, self), amplitude: program.order.amplitude, snrDecibels: snrDecibels, &generator),
            gain: min(1, Self.maximumNoiseDeviation / deviation))
    }

    /// ε of the clocks: a recorder that runs fast hears everything lower.
    var clockOffset: Double { 1 / (1 + clockPPM * 1e-6) - 1 }

    /// ε of the motion of token number `index`.
    func motionOffset(_ index: Int) -> Double {
        (index.isMultiple(of: 2) ? 1 : -1) * speedMetresPerSecond / SoundInAir.metresPerSecond
    }
}
