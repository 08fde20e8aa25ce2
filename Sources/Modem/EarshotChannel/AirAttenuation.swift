import EarshotBasics

/// A talker that is quieter for some time, at a random point of its sound.
public struct AirFade: Sendable {
    /// By how much in decibels, ≥ 0.
    public var decibels: Double
    /// The time in seconds at the lowest level, ≥ 0.
    public var seconds: Double
    /// The time in seconds in which the level falls before that, and rises after it, above 0.
    public var edgeSeconds: Double

    /// Creates a fade from its properties.
    public init(decibels: Double, seconds: Double, edgeSeconds: Double = 0.05) {
        (self.decibels, self.seconds, self.edgeSeconds) = (decibels, seconds, edgeSeconds)
    }

    /// The sound, quieter within its first `length` samples.
    func applied(
        to sound: any SoundSource, length: Int, sampleRateHertz: Int, _ generator: inout SeededGenerator
    ) -> any SoundSource {
        let rate = Double(sampleRateHertz)
        let count = min(Int((seconds + 2 * edgeSeconds) * rate), length)
        let start = Int(Double(length - count) * Double(generator.uniform()))
        return Attenuated(
            sound, in: Holes([start..<start + count]), byDecibels: decibels,
            edgeLength: max(1, Int(edgeSeconds * rate)))
    }
}

/// A noise suppressor's gate at the microphone, which closes between words, for the signal and its noise.
public struct AirGate: Sendable {
    /// By how much in decibels, ≥ 0.
    public var decibels: Double
    /// The mean number of times that it closes in a second of open sound, above 0 and at most 1,000.
    public var perSecond: Double
    /// The minimum and maximum time in seconds for which it is closed, edges included.
    public var closedSeconds: ClosedRange<Double>
    /// The time in seconds in which it closes and opens, above 0.
    public var edgeSeconds: Double

    /// Creates a gate from its properties; by default it follows words and pauses.
    public init(
        decibels: Double, perSecond: Double = 3, closedSeconds: ClosedRange<Double> = 0.1...0.4,
        edgeSeconds: Double = 0.01
    ) {
        (self.decibels, self.perSecond) = (decibels, perSecond)
        (self.closedSeconds, self.edgeSeconds) = (closedSeconds, edgeSeconds)
    }

    /// The sound after the gate.
    func applied(
        to sound: any SoundSource, sampleRateHertz: Int, _ generator: inout SeededGenerator
    ) -> any SoundSource {
        let closed = Holes(
            perSecond: perSecond, lengthSeconds: closedSeconds, sampleRateHertz: sampleRateHertz,
            seed: generator.next())
        return Attenuated(
            sound, in: closed, byDecibels: decibels, edgeLength: max(1, Int(edgeSeconds * Double(sampleRateHertz))))
    }
}

/// Losses that a speech decoder conceals.
public struct AirConcealment: Sendable {
    /// The mean number of losses in a second of intact sound, above 0 and at most 1,000.
    public var perSecond: Double
    /// The minimum and maximum length of a loss in seconds.
    public var lengthSeconds: ClosedRange<Double>
    /// The length in seconds of the repeated sound, above 0; by default a packet of 10 ms.
    public var repeatedSeconds: Double

    /// Creates losses from their properties.
    public init(perSecond: Double, lengthSeconds: ClosedRange<Double>, repeatedSeconds: Double = 0.01) {
        (self.perSecond, self.lengthSeconds) = (perSecond, lengthSeconds)
        self.repeatedSeconds = repeatedSeconds
    }

    /// The sound with its losses concealed.
    func applied(
        to sound: any SoundSource, sampleRateHertz: Int, _ generator: inout SeededGenerator
    ) -> any SoundSource {
        let losses = Holes(
            perSecond: perSecond, lengthSeconds: lengthSeconds, sampleRateHertz: sampleRateHertz,
            seed: generator.next())
        let length = max(1, Int((repeatedSeconds * Double(sampleRateHertz)).rounded()))
        return Concealed(sound, losses: losses, repeatedLength: length)
    }
}
