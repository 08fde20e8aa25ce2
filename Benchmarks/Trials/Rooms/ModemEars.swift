import EarshotBasics
package import EarshotChannel
import EarshotCoding
import EarshotDiscovery
package import EarshotModem
package import EarshotSound
import RealModule

/// Ears with the real modem: every device has a place, a clock and a receiver, which hears all other devices.
///
///     y[listener] = noise + Σ talkers  (1 m / d)·x through the air,   nothing while the listener talks itself
///
/// The signal-to-noise ratio is that of the project's definition, for a talker 1 m away.
package struct ModemEars: RoomEars {
    private struct Sound {
        var startSample: Int
        var samples: [Float]
        var endSample: Int { startSample + samples.count }
    }

    /// A receiver and its next sound. A class, because receivers cannot be copied.
    private final class Ear {
        var receiver: Receiver
        let meter = BandMeter()
        var noise: WhiteNoise
        /// The room's sample that the receiver counts as 0; nil before the device is there.
        var firstSample: Int?
        var sounds: [Sound] = []
        var ownTalk = 0..<0
        var isBusy = false

        init(_ receiver: consuming Receiver, noiseSeed: UInt64) {
            self.receiver = receiver
            noise = WhiteNoise(seed: noiseSeed)
        }
    }

    /// The lengths of the profile's slots.
    package let timing: TalkTiming
    private let air: PreparedAir
    private let frames: [[Float]]
    private let talkers: [Payload: Int]
    private let placesMetres: [SIMD2<Double>]
    private let pairSeeds: [[UInt64]]
    private let noiseDeviation: Float
    private let busyDecibels: Double
    private let ears: [Ear]
    private var sample = 0

    private static let sampleRateHertz = 48_000
    private static let amplitude: Float = 0.05
    /// The level above its noise at which the band counts as busy, in decibels.
    private static let busyAboveNoiseDecibels = 6.0

    /// Places the devices and makes their receivers.
    /// - Parameters:
    ///   - plan: the devices.
    ///   - profile: the air format of all tokens.
    ///   - timing: the lengths of slots; nil: those of the profile.
    ///   - air: the echoes, and the differences of clocks, between any two devices.
    ///   - snrDecibels: the SNR of a talker at 1 m.
    ///   - sideMetres: the side of the square in which the devices are. A distance below 0.5 m sounds like 0.5 m.
    /// - Throws: `ModemError` if the profile does not fit into 48 kHz.
    package init(
        _ plan: RoomPlan, profile: Profile, timing: TalkTiming? = nil, air: Air, snrDecibels: Double, sideMetres: Double
    ) throws(ModemError) {
        self.timing = timing ?? TalkTiming(profile)
        self.air = PreparedAir(air, sampleRateHertz: Self.sampleRateHertz)
        let transmitter = try Transmitter(profile: profile, sampleRateHertz: Self.sampleRateHertz)
        frames = plan.tokens.map { transmitter.samples($0, amplitude: Self.amplitude) }
        talkers = Dictionary(uniqueKeysWithValues: plan.tokens.enumerated().map { ($1, $0) })
        var generator = SeededGenerator(seed: plan.seed &+ 1)
        placesMetres = plan.devices.map { _ in
            sideMetres * SIMD2(Double(generator.uniform()), Double(generator.uniform()))
        }
        pairSeeds = plan.devices.map { _ in plan.devices.map { _ in generator.next() } }
        noiseDeviation = WhiteNoise.deviation(
            amplitude: Self.amplitude, snrDecibels: snrDecibels, sampleRateHertz: Self.sampleRateHertz)
        // A sine of amplitude A in the band has 20·log A; see `BandMeter`.
        busyDecibels = 20 * Double.log10(Double(Self.amplitude)) - snrDecibels + Self.busyAboveNoiseDecibels
        var ears: [Ear] = []
        for _ in plan.devices {
            ears.append(
                Ear(
                    try Receiver(sampleRateHertz: Self.sampleRateHertz, recognisesTokens: true),
                    noiseSeed: generator.next()))
        }
        self.ears = ears
    }

    /// See `RoomEars`.
    package mutating func advance(
        toSeconds seconds: Double, begun: [RoomTalk], isPresent: [Bool]
    ) -> [RoomHearing] {
        let end = Int((seconds * Double(Self.sampleRateHertz)).rounded())
        for talk in begun {
            let start = Int(talk.beginSeconds * Double(Self.sampleRateHertz))
            ears[talk.talker].ownTalk = start..<start + frames[talk.talker].count
            for listener in ears.indices where listener != talk.talker && isPresent[listener] {
                ears[listener].sounds.append(sound(of: talk.talker, at: listener, start))
            }
        }
        var hearings: [RoomHearing] = []
        for listener in ears.indices where isPresent[listener] {
            listen(ears[listener], sample..<end) { frame, firstSample in
                guard let talker = talkers[frame.payload] else { return }
                let begin = Double(frame.startSample + firstSample) / Double(Self.sampleRateHertz)
                hearings.append(RoomHearing(talker: talker, listener: listener, beginSeconds: begin))
            }
        }
        sample = end
        return hearings
    }

    /// See `RoomEars`.
    package func isBusy(_ device: Int) -> Bool { ears[device].isBusy }

    private func sound(of talker: Int, at listener: Int, _ start: Int) -> Sound {
        let offset = placesMetres[talker] - placesMetres[listener]
        let distance = max(0.5, (offset * offset).sum().squareRoot())
        var generator = SeededGenerator(seed: pairSeeds[talker][listener])
        let seconds = Double(frames[talker].count) / Double(Self.sampleRateHertz)
        var sound = air.talkerSound(StoredSound(frames[talker]), seconds: seconds, &generator)
        let delay = Int(distance / SoundInAir.metresPerSecond * Double(Self.sampleRateHertz))
        let gain = Float(1 / distance)
        return Sound(startSample: start + delay, samples: sound.readAll().map { gain * $0 })
    }

    private func listen(_ ear: Ear, _ range: Range<Int>, _ onFrame: (ReceivedFrame, Int) -> Void) {
        let firstSample = ear.firstSample ?? range.lowerBound
        ear.firstSample = firstSample
        if ear.ownTalk.overlaps(range) {
            ear.receiver.skip(range.count) { onFrame($0, firstSample) }
            ear.isBusy = false
        } else {
            var block = [Float](repeating: 0, count: range.count)
            ear.noise.add(to: &block, deviation: noiseDeviation)
            for sound in ear.sounds {
                let heard = range.clamped(to: sound.startSample..<sound.endSample)
                for index in heard { block[index - range.lowerBound] += sound.samples[index - sound.startSample] }
            }
            ear.receiver.push(block.span) { onFrame($0, firstSample) }
            ear.isBusy =
                ear.receiver.isReceiving
                || ear.meter.bandDecibels(ear.receiver, seconds: 0.05) > busyDecibels
        }
        ear.sounds.removeAll { $0.endSample <= range.upperBound }
    }
}
