import RealModule

/// A telephone's automatic gain: a slowly varying gain that keeps the mean power at a target.
///
///     P = mean of x² over the last 5 ms,   wanted = min(target − 10·log₁₀(2P), maximum)
///     gain ← wanted + (gain − wanted)·e^(−5 ms/τ),   all in decibels, τ = attack for falling, release for rising
///
/// After a step in level, the gain in decibels approaches its new value exponentially, 5 to 10 ms late. Within 5 ms its
/// factor changes linearly, so it does not click. There is no minimum gain. If the power of 5 ms fluctuates, as that of
/// noise does, a quick attack with a slow release settles below the target: by 0.5 dB with 20 ms and 500 ms.
///
/// Cost: about 3 ns a sample.
public struct AutomaticGain: SoundSource {
    private static let stepSeconds = 0.005

    private var source: any SoundSource
    private let targetDecibels: Double
    private let maximumGainDecibels: Double
    private let attackShare: Double
    private let releaseShare: Double

    private let stepLength: Int
    private var place = 0
    private var power: Float = 0
    private var gainDecibels: Double
    /// The factor at the beginning of this step, and its growth a sample.
    private var factor: Float
    private var slope: Float = 0

    /// Creates a gain that starts at 0 dB.
    ///
    /// - Parameters:
    ///   - source: the sound to amplify.
    ///   - targetDecibels: the target of the mean power; 0 dB is that of a sine of amplitude 1.
    ///   - maximumGainDecibels: the gain in silence, ≥ 0.
    ///   - attackSeconds: τ while the sound is too loud, above 0.
    ///   - releaseSeconds: τ while the sound is too quiet, above 0.
    ///   - sampleRateHertz: the sample rate of the sound.
    public init(
        _ source: any SoundSource, targetDecibels: Double = -20, maximumGainDecibels: Double = 30,
        attackSeconds: Double = 0.02, releaseSeconds: Double = 0.5, sampleRateHertz: Int
    ) {
        precondition(attackSeconds > 0 && releaseSeconds > 0, "a gain that follows in no time")
        precondition(maximumGainDecibels >= 0, "a maximum gain of \(maximumGainDecibels) dB")
        self.source = source
        self.targetDecibels = targetDecibels
        self.maximumGainDecibels = maximumGainDecibels
        stepLength = max(1, Int(Self.stepSeconds * Double(sampleRateHertz)))
        let seconds = Double(stepLength) / Double(sampleRateHertz)
        attackShare = 1 - .exp(-seconds / attackSeconds)
        releaseShare = 1 - .exp(-seconds / releaseSeconds)
        gainDecibels = 0
        factor = 1
    }

    /// Fills the beginning of `block` with the next samples and returns their number, 0 once the sound has ended.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        let count = source.read(into: &block)
        var index = 0
        while index < count {
            let end = min(count, index + stepLength - place)
            while index < end {
                let sample = block[index]
                power += sample * sample
                block[index] = sample * (factor + Float(place) * slope)
                place += 1
                index += 1
            }
            if place == stepLength { step() }
        }
        return count
    }

    /// Starts the next 5 ms.
    private mutating func step() {
        let level = 10 * Double.log10(max(2 * Double(power) / Double(stepLength), 1e-30))
        let missing = min(targetDecibels - level, maximumGainDecibels) - gainDecibels
        gainDecibels += missing * (missing < 0 ? attackShare : releaseShare)
        factor += Float(stepLength) * slope
        slope = (Float(Double.pow(10, gainDecibels / 20)) - factor) / Float(stepLength)
        place = 0
        power = 0
    }
}
