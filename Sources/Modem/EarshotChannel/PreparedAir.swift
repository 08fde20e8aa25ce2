public import EarshotBasics
import RealModule

/// `Air` with all filters designed, for any number of sounds.
public struct PreparedAir: Sendable {
    /// The air that it simulates.
    public let air: Air
    /// F, the sample rate of the signals in hertz.
    public let sampleRateHertz: Int

    private let loudspeaker: Filtered.Design?
    private let microphone: Filtered.Design?
    private let conversion: TimeWarp?
    /// The time before the first talker; a random start adds up to as much again.
    private static let leadSeconds = 0.25
    private static let tailSeconds = 1.0 / 3

    /// Designs the filters.
    ///
    /// - Parameters:
    ///   - air: the air to simulate.
    ///   - sampleRateHertz: F, the sample rate of the signals and of recorded noise.
    public init(_ air: Air, sampleRateHertz: Int) {
        self.air = air
        self.sampleRateHertz = sampleRateHertz
        loudspeaker = air.loudspeaker.map { Filtered.Design($0, sampleRateHertz: sampleRateHertz) }
        microphone = air.microphone.map { Filtered.Design($0, sampleRateHertz: sampleRateHertz) }
        conversion = air.receiverRateHertz.map { TimeWarp.conversion(from: sampleRateHertz, to: $0) }
    }

    /// The sample rate at the microphone in hertz.
    public var receivedRateHertz: Int { air.receiverRateHertz ?? sampleRateHertz }

    /// The sound of all talkers at the microphone: a quarter to half a second of noise, the signals, and a third of a
    /// second after the last echo.
    ///
    ///     σ² = (A²/2) / 10^(SNR/10) · (F/2) / 1500
    ///
    /// - Parameters:
    ///   - signals: one sound for each talker; shape [talkers][any].
    ///   - amplitude: A, the peak of the signals; full scale is 1.
    ///   - snrDecibels: SNR, the power of a sine at the signal's peak over the noise in 1,500 Hz.
    ///   - seed: the seed of all places, times, phases and noise.
    public func sound(of signals: [[Float]], amplitude: Float, snrDecibels: Double, seed: UInt64) -> AirSound {
        precondition(signals.count == air.talkerLevelsDecibels.count, "\(signals.count) signals")
        var generator = SeededGenerator(seed: seed)
        let rate = Double(sampleRateHertz)
        let firstStart = Self.leadSeconds * (1 + Double(generator.uniform()))
        let microphones = air.microphones.microphones
        var parts = [[Mix.Part]](repeating: [], count: microphones.count)
        var startSamples: [Int] = []
        var (end, signalEnd) = (0, 0)
        for (signal, level) in zip(signals, air.talkerLevelsDecibels) {
            let spread = signals.count > 1 ? air.startSpreadSeconds * Double(generator.uniform()) : 0
            let start = Int((firstStart + spread) * rate)
            startSamples.append(start)
            signalEnd = max(signalEnd, start + signal.count)
            let sounds = talkerSounds(StoredSound(signal), seconds: Double(signal.count) / rate, &generator)
            for (number, sound) in sounds.enumerated() {
                var talker = sound.source
                let samples = talker.readAll()
                parts[number].append(
                    Mix.Part(
                        StoredSound(samples), startSample: start + sound.delaySamples, gain: Self.factor(level)))
                end = max(end, start + sound.delaySamples + samples.count)
            }
        }
        // The microphones share all random numbers except those of their noise.
        let (length, before) = (end + Int(Self.tailSeconds * rate), generator)
        let delay = (loudspeaker?.delaySamples ?? 0) + (microphone?.delaySamples ?? 0)
        let signals = (startSamples.min() ?? 0) + delay..<signalEnd + delay
        let missing = air.lateStartSeconds.map { received(signals.lowerBound + Int($0 * rate)) } ?? 0
        let channels = microphones.indices.map { number in
            generator = before
            var heard = microphoneSound(
                Mix(parts[number], length: length), number, amplitude: amplitude, snrDecibels: snrDecibels, &generator)
            if let seconds = air.dropoutSeconds {
                let hole = hole(within: signals, lengthSamples: Int(seconds * rate), &generator)
                heard = Gaps(heard, holes: Holes([hole]), kind: .silenced)
            }
            if let losses = air.concealedLosses {
                heard = losses.applied(to: heard, sampleRateHertz: receivedRateHertz, &generator)
            }
            if missing > 0 { heard = Gaps(heard, holes: Holes([0..<missing]), kind: .removed) }
            return AirSound.Channel(
                source: heard,
                gaps: air.gaps.map { $0.gaps(in: heard, sampleRateHertz: receivedRateHertz, &generator) })
        }
        return AirSound(
            channels, sampleRateHertz: receivedRateHertz,
            startSamples: startSamples.map { received($0 + delay) - missing })
    }

    /// The received sample at which a transmitted one arrives.
    private func received(_ sample: Int) -> Int { sample * receivedRateHertz / sampleRateHertz }

    /// A range of received samples at a random place within `signals`, both range and length in transmitted ones.
    private func hole(
        within signals: Range<Int>, lengthSamples: Int, _ generator: inout SeededGenerator
    ) -> Range<Int> {
        let room = Double(max(signals.count - lengthSamples, 0))
        let start = signals.lowerBound + Int(room * Double(generator.uniform()))
        return received(start)..<received(start + lengthSamples)
    }

    /// One talker's received sound: after loudspeaker, clock, motion and room.
    /// - Parameters:
    ///   - signal: the talker's sound.
    ///   - seconds: its length.
    ///   - generator: the source of the random numbers.
    public func talkerSound(
        _ signal: some SoundSource, seconds: Double, _ generator: inout SeededGenerator
    ) -> any SoundSource {
        talkerSounds(signal, seconds: seconds, &generator)[0].source
    }

    /// One talker's received sound at each microphone, and its delay; parameters as in `talkerSound`.
    private func talkerSounds(
        _ signal: some SoundSource, seconds: Double, _ generator: inout SeededGenerator
    ) -> [(source: any SoundSource, delaySamples: Int)] {
        var spoken: any SoundSource = signal
        if let loudspeaker { spoken = Filtered(spoken, loudspeaker) }
        if let seconds = air.cutStartSeconds {
            let silence = Holes([0..<Int(seconds * Double(sampleRateHertz)) + (loudspeaker?.delaySamples ?? 0)])
            spoken = Gaps(spoken, holes: silence, kind: .silenced)
        }
        if let fade = air.fade {
            let length = Int(seconds * Double(sampleRateHertz))
            spoken = fade.applied(to: spoken, length: length, sampleRateHertz: sampleRateHertz, &generator)
        }
        // Symbols need not start on a sample of the receiver.
        let fraction = Double(generator.uniform())
        let clock = air.clockSpread * (2 * Double(generator.uniform()) - 1)
        let offset = (1 + air.relativeOffset) * (1 + clock) - 1
        let path = air.motion.map { $0.path(seconds: seconds, &generator) }
        func arriving(advance: Double) -> any SoundSource {
            var sound: any SoundSource = Warped(
                spoken, .steady(relativeOffset: offset, fractionalDelay: advance))
            if let path { sound = Warped(sound, .motion(path, sampleRateHertz: sampleRateHertz)) }
            return sound
        }
        if let room = air.room {
            let sound = arriving(advance: fraction)
            return room.impulseResponses(
                at: air.microphones, sampleRateHertz: sampleRateHertz, seed: generator.next()
            ).map { (Echoes(sound, response: $0), 0) }
        }
        guard air.microphones.microphones.count > 1 else { return [(arriving(advance: fraction), 0)] }
        let direction = 2 * Double.pi * Double(generator.uniform())
        return air.microphones.delays(fromDirection: direction, sampleRateHertz: sampleRateHertz).map { delay in
            let advance = fraction - delay
            let whole = advance.rounded(.down)
            return (arriving(advance: min(advance - whole, 1.nextDown)), -Int(whole))
        }
    }

    /// The recorded sound for the received one; parameters as in `sound(of:amplitude:snrDecibels:seed:)`.
    public func microphoneSound(
        _ arriving: any SoundSource, amplitude: Float, snrDecibels: Double, _ generator: inout SeededGenerator
    ) -> any SoundSource {
        microphoneSound(arriving, 0, amplitude: amplitude, snrDecibels: snrDecibels, &generator)
    }

    /// The sound at one of the microphones.
    private func microphoneSound(
        _ arriving: any SoundSource, _ number: Int, amplitude: Float, snrDecibels: Double,
        _ generator: inout SeededGenerator
    ) -> any SoundSource {
        let own = air.microphones.microphones[number]
        var sound = with(disturbances(amplitude: amplitude, &generator), under: arriving)
        if let microphone { sound = Filtered(sound, microphone) }
        let deviation = WhiteNoise.deviation(
            amplitude: amplitude, snrDecibels: snrDecibels, sampleRateHertz: sampleRateHertz)
        // A different seed for each microphone; the first has the seed of a single microphone.
        let seed = generator.next() ^ (UInt64(number) &* 0x9e37_79b9_7f4a_7c15)
        sound = with([noise(deviation: deviation * Self.factor(own.noiseDecibels), seed: seed)], under: sound)
        if let gate = air.gate { sound = gate.applied(to: sound, sampleRateHertz: sampleRateHertz, &generator) }
        if air.hasAutomaticGain { sound = AutomaticGain(sound, sampleRateHertz: sampleRateHertz) }
        if let overdrive = air.overdriveDecibels {
            sound = Clipped(sound, level: amplitude * Self.factor(-overdrive))
        }
        if let conversion { sound = Warped(sound, conversion) }
        if own.isDead { sound = Scaled(sound, gain: 0) }
        return sound
    }

    /// The standard deviation of the noise over all frequencies: it limits the gain at which the noise does not clip.
    public func noiseDeviation(amplitude: Float, snrDecibels: Double) -> Float {
        let deviation = WhiteNoise.deviation(
            amplitude: amplitude, snrDecibels: snrDecibels, sampleRateHertz: sampleRateHertz)
        switch air.noise {
        case .coloured(let colour):
            return Noise(colour: colour, deviation: deviation, sampleRateHertz: sampleRateHertz, seed: 0).totalDeviation
        case .recorded(let recording):
            return deviation * recording.totalDeviation
        }
    }

    private func with(_ backgrounds: [any SoundSource], under sound: any SoundSource) -> any SoundSource {
        guard !backgrounds.isEmpty else { return sound }
        return Mix([Mix.Part(sound)] + backgrounds.map { Mix.Part($0, isBackground: true) })
    }

    private func disturbances(amplitude: Float, _ generator: inout SeededGenerator) -> [any SoundSource] {
        var sounds: [any SoundSource] = air.toneLevelsDecibels.map { level in
            let band = air.bandHertz
            return PilotTone(
                hertz: band.lowerBound + (band.upperBound - band.lowerBound) * Double(generator.uniform()),
                amplitude: amplitude * Self.factor(level), phaseTurns: Double(generator.uniform()),
                sampleRateHertz: sampleRateHertz)
        }
        if let sweep = air.sweep {
            sounds.append(sweep.tone(amplitude: amplitude, sampleRateHertz: sampleRateHertz, &generator))
        }
        if let impulses = air.impulses {
            sounds.append(
                Impulses(
                    impulses.kind, perSecond: impulses.perSecond,
                    amplitude: amplitude * Self.factor(impulses.levelDecibels), sampleRateHertz: sampleRateHertz,
                    seed: generator.next()))
        }
        return sounds
    }

    private func noise(deviation: Float, seed: UInt64) -> any SoundSource {
        switch air.noise {
        case .coloured(let colour):
            Noise(colour: colour, deviation: deviation, sampleRateHertz: sampleRateHertz, seed: seed)
        case .recorded(let recording):
            recording.sound(deviation: deviation, sampleRateHertz: sampleRateHertz, seed: seed)
        }
    }

    private static func factor(_ decibels: Double) -> Float { Float(.pow(10, decibels / 20)) }
}
