/// What lies between transmitters and a receiver, as one value: every talker has a place, a clock and a distance of its
/// own, and one microphone hears them all.
///
///     talker:      frame -> loudspeaker -> clock and motion -> room
///     microphone:  talkers -> + tones + knocks -> response -> + noise -> gain -> clipping -> rate -> gaps
///
/// Levels are relative to a talker's signal, whose peak is known, and rooms have energy 1 on the average over places: a
/// signal-to-noise ratio keeps its meaning whatever is put between.
public struct Air: Sendable {
    /// A level for each talker, in decibels relative to the signal: 0 for one alone.
    public var talkerLevelsDecibels: [Double] = [0]
    /// Talkers start within so many seconds of each other.
    public var startSpreadSeconds = 0.25
    /// Frequencies and speed times 1 + this: steady motion, or clocks that differ.
    public var relativeOffset = 0.0
    /// Each talker's clock differs further by up to this, either way.
    public var clockSpread = 0.0
    /// How each talker moves meanwhile.
    public var motion: AirMotion?
    /// Where it is; each talker stands somewhere else in it. Free air where there is none.
    public var room: (any Reverberant)?
    /// What all talkers' loudspeakers do.
    public var loudspeaker: FrequencyResponse?
    /// What the microphone does to everything but its noise.
    public var microphone: FrequencyResponse?
    /// The noise.
    public var noise = AirNoise.coloured(.white)
    /// Steady tones somewhere in the band; a level for each, relative to the signal.
    public var toneLevelsDecibels: [Double] = []
    /// Knocks, keys and clicks.
    public var impulses: AirImpulses?
    /// Whether the microphone's gain follows what it hears.
    public var hasAutomaticGain = false
    /// How far below the signal's peak the microphone cuts everything off.
    public var overdriveDecibels: Double?
    /// The receiver's sample rate where it is another than the transmitter's.
    public var receiverRateHertz: Int?
    /// Pieces that are lost on the way to the receiver.
    public var gaps: RandomGaps?

    /// Where steady tones lie.
    public var bandHertz = 18_500.0...20_000.0

    /// White noise and one talker.
    public init() {}
}

/// Bangs: the middle peak relative to the signal's.
public struct AirImpulses: Sendable {
    /// What bangs.
    public var kind: ImpulseKind
    /// How often, on the average.
    public var perSecond: Double
    /// See the type.
    public var levelDecibels: Double

    /// See the properties of the same names.
    public init(_ kind: ImpulseKind, perSecond: Double = 4, levelDecibels: Double) {
        self.kind = kind
        self.perSecond = perSecond
        self.levelDecibels = levelDecibels
    }
}
