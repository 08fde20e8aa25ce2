public import EarshotCoding

/// A way in which devices find each other: sound, and others later.
///
/// A medium decides itself when to say its token. It opens what a mode needs and nothing else: whoever only scans must not
/// open a loudspeaker, whoever only broadcasts no microphone.
public protocol DiscoveryMedium: Sendable {
    /// Which one it is.
    var kind: DiscoveryMediumKind { get }

    /// Opens what `mode` needs and reports what happens until the stream is no longer read; then it closes everything.
    /// To be called once at a time.
    func events(mode: DiscoveryMode) -> AsyncStream<MediumEvent>

    /// The token to say from now on. Without effect where the mode has no `broadcast`.
    func broadcast(_ token: Payload) async
}

/// A medium by name.
public struct DiscoveryMediumKind: Sendable, Hashable, CustomStringConvertible {
    /// As it is typed and printed.
    public let name: String
    /// Whether it may go on while nobody looks at the program.
    public let worksInBackground: Bool

    /// Another medium.
    public init(name: String, worksInBackground: Bool) {
        self.name = name
        self.worksInBackground = worksInBackground
    }

    /// Near-ultrasound. Microphones are not for the background.
    public static let audio = DiscoveryMediumKind(name: "audio", worksInBackground: false)

    /// The same as `name`.
    public var description: String { name }
}

/// What a medium reports.
public enum MediumEvent: Sendable, Equatable {
    /// A token was heard.
    case sighting(Sighting)
    /// Something is wrong from now on; the detail is for people: what failed, on what, and what to do.
    case problem(DiscoveryProblem, detail: String = "")
    /// It is not any more.
    case solved(DiscoveryProblem)
}

/// A token that was heard once.
public struct Sighting: Sendable, Equatable {
    /// Whose.
    public var token: Payload
    /// Signal power over noise power, where the medium knows it.
    public var snrDecibels: Double?
    /// How loud it was, 0 is full scale, where the medium knows it: for sound how loud the band was meanwhile.
    public var levelDecibels: Double?
    /// How long ago its last bit was on the air.
    public var age: Duration
    /// How long the sender may be silent from then on and still be there. Follows from how often it talks.
    public var patience: Duration

    /// See the properties of the same names.
    public init(
        token: Payload, snrDecibels: Double? = nil, levelDecibels: Double? = nil, age: Duration = .zero,
        patience: Duration
    ) {
        self.token = token
        self.snrDecibels = snrDecibels
        self.levelDecibels = levelDecibels
        self.age = age
        self.patience = patience
    }
}

/// What may be wrong with a medium. Problems are states: they come and they go.
public enum DiscoveryProblem: Sendable, Hashable {
    /// There is no microphone.
    case noMicrophone
    /// There is no loudspeaker.
    case noLoudspeaker
    /// The system refuses one of them.
    case noPermission(DiscoveryMode)
    /// Another program has it.
    case deviceBusy(DiscoveryMode)
    /// It is there and does not do what is needed.
    case deviceUnusable(DiscoveryMode)
    /// Something else sounds in the band all the time.
    case bandOccupied
}
