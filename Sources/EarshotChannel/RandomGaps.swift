/// Pieces that are lost at random.
public struct RandomGaps: Sendable {
    /// How often, on the average.
    public var perSecond: Double
    /// The shortest and the longest.
    public var lengthSeconds: ClosedRange<Double>

    /// See the properties of the same names.
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
