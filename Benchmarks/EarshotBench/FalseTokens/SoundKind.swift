import EarshotChannel

/// A kind of sound to listen to for hours.
struct SoundKind: Sendable {
    var name: String
    var sampleRateHertz = 48_000
    /// Whether it contains Earshot's frames: then a report may be right.
    var hasFrames = false
    /// The sound of a seed; without an end.
    var make: @Sendable (_ seed: UInt64) -> any SoundSource

    init(_ name: String, hasFrames: Bool = false, _ make: @escaping @Sendable (_ seed: UInt64) -> any SoundSource) {
        self.name = name
        self.hasFrames = hasFrames
        self.make = make
    }

    /// All kinds that need no recordings.
    static let generated: [SoundKind] = noises + machines + modems + almostEarshot + damagedFrames
}
