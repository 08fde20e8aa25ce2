import EarshotBasics

/// Random losses of samples.
public struct RandomGaps: Sendable {
    /// The mean number of gaps a second, above 0 and at most 1,000.
    public var perSecond: Double
    /// The minimum and maximum length of a gap in seconds.
    public var lengthSeconds: ClosedRange<Double>

    /// Creates random gaps from their properties.
    public init(perSecond: Double, lengthSeconds: ClosedRange<Double>) {
        self.perSecond = perSecond
        self.lengthSeconds = lengthSeconds
    }

    func gaps(in sound: any SoundSource, sampleRateHertz: Int, _ generator: inout SeededGenerator) -> Gaps {
        let holes = Holes(
            perSecond: perSecond, lengthSeconds: lengthSeconds, sampleRateHertz: sampleRateHertz,
            seed: generator.next())
        return Gaps(sound, holes: holes, kind: .removed)
    }
}
