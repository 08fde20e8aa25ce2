/// The simulated air between transmitters and a receiver, as one value: each talker has its own place, clock and
/// distance, and one microphone receives all of them.
///
///     talker:      frame -> loudspeaker -> cut start -> fade -> clock and motion -> room
///     microphone:  talkers -> + tones + knocks -> response -> + noise -> gate -> gain -> clipping -> rate
///                  -> silence -> concealment -> late start -> gaps
///
/// Levels are relative to a talker's signal, which has a known peak, and rooms have an average energy of 1 over places,
/// so these stages do not change the meaning of a signal-to-noise ratio.
public struct Air: Sendable {
    /// The level of each talker in decibels relative to the signal; [0] is a single talker.
    public var talkerLevelsDecibels: [Double] = [0]
    /// The range of the talkers' random start times in seconds, ≥ 0.
    public var startSpreadSeconds = 0.25
    /// ε, above −1: frequencies and speed are multiplied by 1 + ε. Steady motion, or clocks that differ.
    public var relativeOffset = 0.0
    /// The maximum further deviation of each talker's clock, as a share, in either direction.
    public var clockSpread = 0.0
    /// The motion of each talker during the sound; nil means none.
    public var motion: AirMotion?
    /// The room; each talker has its own place in it. Nil means free air.
    public var room: (any Reverberant)?
    /// The frequency response of all talkers' loudspeakers; nil means flat.
    public var loudspeaker: FrequencyResponse?
    /// The time in seconds for which each talker is silent after its start, like a loudspeaker that wakes slowly; nil
    /// means none.
    public var cutStartSeconds: Double?
    /// A period in which each talker is quieter; nil means none.
    public var fade: AirFade?
    /// The frequency response of the microphone, for all sound except its noise; nil means flat.
    public var microphone: FrequencyResponse?
    /// The noise at the microphone.
    public var noise = AirNoise.coloured(.white)
    /// The levels of steady tones in decibels relative to the signal; each has a random frequency in the band.
    public var toneLevelsDecibels: [Double] = []
    /// A tone that sweeps through the band repeatedly; nil means none.
    public var sweep: AirSweep?
    /// Knocks, keys and clicks; nil means none.
    public var impulses: AirImpulses?
    /// A noise suppressor's gate; nil means none.
    public var gate: AirGate?
    /// Whether an automatic gain follows the sound at the microphone.
    public var hasAutomaticGain = false
    /// The clipping level of the microphone, in decibels below the signal's peak; nil means no clipping.
    public var overdriveDecibels: Double?
    /// The receiver's sample rate in hertz, if it differs from the transmitter's.
    public var receiverRateHertz: Int?
    /// Random losses on the way to the receiver, common to all microphones; nil means none.
    public var gaps: RandomGaps?
    /// The length in seconds of one unreported silence, common to all microphones, > 0; nil means none. It is at a
    /// random place in the talkers' signals; if they are shorter, it begins with them.
    public var dropoutSeconds: Double?
    /// Random losses filled with a repetition of the sound before them, common to all microphones; nil means none.
    public var concealedLosses: AirConcealment?
    /// The time in seconds after the first talker's start at which the recording begins, ≥ 0; nil means that it begins before
    /// the talkers.
    public var lateStartSeconds: Double?
    /// The microphones of the receiver. In rooms of class `Room` their echoes are independent; in a `ShoeboxRoom` and
    /// in free air they follow from the microphones' places. Each microphone has its own noise; everything else is
    /// common.
    public var microphones = MicrophoneArray.single

    /// The frequency range of the steady tones.
    public var bandHertz = 18_500.0...20_000.0

    /// Creates air with white noise and one talker.
    public init() {}
}

/// Impulsive noise at the microphone.
public struct AirImpulses: Sendable {
    /// The kind of impulse.
    public var kind: ImpulseKind
    /// The mean number of impulses a second, above 0 and at most 1,000.
    public var perSecond: Double
    /// The median peak in decibels relative to the signal's peak.
    public var levelDecibels: Double

    /// Creates impulsive noise from its properties.
    public init(_ kind: ImpulseKind, perSecond: Double = 4, levelDecibels: Double) {
        self.kind = kind
        self.perSecond = perSecond
        self.levelDecibels = levelDecibels
    }
}
