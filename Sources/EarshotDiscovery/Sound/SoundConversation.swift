import EarshotCoding
import EarshotModem

/// A token that was decoded.
struct SoundHearing: Sendable {
    var payload: Payload
    var startSeconds: Double
    var endSeconds: Double
    var snrDecibels: Double
    /// From where to where in the sound that was heard, by the seconds that levels have, too.
    var soundSeconds: Range<Double>
}

/// What one device hears and says in sound: `TalkPolicy` with ears. Knows no device, no thread and no clock: seconds are what it
/// is told.
///
/// Sound that is handed over now is heard a lead later. So the policy lives in the future by as much: what it decides for t is
/// asked for at t − lead.
struct SoundConversation<Chance: RandomNumberGenerator & Sendable>: Sendable {
    /// Until so long after the own token levels are its echo, or were measured while it sounded.
    private static var echoSeconds: Double { 0.15 }
    /// The own tokens that are remembered: an echo may come after they were rotated.
    private static var largestOwnCount: Int { 64 }
    /// Tokens that wait for the next step, which a device that hangs may hold up.
    private static var largestHeardCount: Int { 256 }

    let leadSeconds: Double
    private var policy: TalkPolicy
    private var generator: Chance
    private var busyBand = BusyBand()
    private var ownTokens: [Payload] = []
    private var heard: [TalkPolicy.Heard] = []
    /// Whether something is on the air now, the own token apart.
    private(set) var isBusy = false
    /// Since the policy was asked last: how long the band was busy, of how long it could be heard, of how long in all.
    private var (busySeconds, heardSeconds, passedSeconds) = (0.0, 0.0, 0.0)
    private var levels: [(seconds: Double, decibels: Double)] = []
    /// So many levels are remembered: 3 s of them, longer than any token.
    private static var largestLevelCount: Int { 80 }
    private var ownTalk = -Double.infinity ..< -Double.infinity
    /// When the policy is to be asked again, unless something is heard before; while the own token sounds not before.
    private(set) var dueSeconds = -Double.infinity
    private var isTalkUnderway = false

    init(mode: DiscoveryMode, profile: Profile, leadSeconds: Double, generator: Chance) {
        policy = TalkPolicy(mode: mode, timing: TalkTiming(profile))
        self.leadSeconds = leadSeconds
        self.generator = generator
    }

    /// What is said from now on.
    var token: Payload? { ownTokens.last }

    /// Whether something sounds all the time that is no token.
    var isBandOccupied: Bool { policy.isBandOccupied }

    /// How many neighbours there are.
    var neighbourCount: Int { policy.neighbourCount }

    mutating func own(_ token: Payload) {
        ownTokens.removeAll { $0 == token }
        ownTokens.append(token)
        if ownTokens.count > Self.largestOwnCount { ownTokens.removeFirst() }
    }

    /// A token was decoded.
    /// - Returns: nil where it is our own.
    mutating func hear(_ hearing: SoundHearing, nowSeconds: Double) -> Sighting? {
        guard !ownTokens.contains(hearing.payload) else { return nil }
        let patience = policy.patienceSeconds(ofNext: hearing.startSeconds, from: hearing.payload)
        heard.append(TalkPolicy.Heard(token: hearing.payload, startSeconds: hearing.startSeconds))
        if heard.count > Self.largestHeardCount { heard.removeFirst() }
        // The policy counts from a token's begin, a sighting from its end.
        let seconds = hearing.endSeconds - hearing.startSeconds
        return Sighting(
            token: hearing.payload, snrDecibels: hearing.snrDecibels,
            levelDecibels: level(in: hearing.soundSeconds),
            age: .seconds(max(0, nowSeconds - hearing.endSeconds)), patience: .seconds(max(0, patience - seconds)))
    }

    /// The band's level since the last one, up to now.
    /// - Parameters:
    ///   - isReceiving: whether the receiver is in the middle of a frame, which may be too quiet for the level.
    ///   - soundSeconds: where in the sound that was heard. A busy machine hears several in one go.
    mutating func take(levelDecibels: Double, isReceiving: Bool = false, soundSeconds: Double, nowSeconds: Double) {
        let seconds = max(0, soundSeconds - (levels.last?.seconds ?? soundSeconds))
        levels.append((soundSeconds, levelDecibels))
        if levels.count > Self.largestLevelCount { levels.removeFirst() }
        passedSeconds += seconds
        guard !ownTalk.overlaps(nowSeconds - seconds..<nowSeconds.nextUp) else {
            isBusy = false
            return
        }
        let isLoud = busyBand.take(levelDecibels, atSeconds: nowSeconds)
        isBusy = isLoud || isReceiving
        heardSeconds += seconds
        if isBusy { busySeconds += seconds }
    }

    /// What is known of the band; while the own token sounded, it was as at other times.
    private mutating func takeBand() -> TalkPolicy.Band {
        let share = heardSeconds > 0 ? busySeconds / heardSeconds : 0
        let band = TalkPolicy.Band(isBusy: isBusy, busySeconds: share * passedSeconds)
        (busySeconds, heardSeconds, passedSeconds) = (0, 0, 0)
        return band
    }

    /// How loud the band was in a stretch: the median, so that the edges and a short noise do not count.
    private func level(in stretch: Range<Double>) -> Double? {
        let during = levels.filter { stretch.contains($0.seconds) }.map(\.decibels).sorted()
        return during.isEmpty ? nil : during[during.count / 2]
    }

    /// Whether there is something to decide.
    func isDue(nowSeconds: Double) -> Bool {
        nowSeconds + leadSeconds >= dueSeconds || !heard.isEmpty && !isTalkUnderway
    }

    /// Decides; to be called where it is due.
    /// - Returns: when to begin to talk; nil for not now.
    mutating func step(nowSeconds: Double) -> Double? {
        let action = policy.step(
            nowSeconds: nowSeconds + leadSeconds, heard: heard, band: takeBand(), using: &generator)
        heard.removeAll(keepingCapacity: true)
        switch action {
        case .listen(let until):
            dueSeconds = until
            isTalkUnderway = false
            return nil
        case .talk(let begin):
            dueSeconds = begin + policy.timing.tokenSeconds
            isTalkUnderway = true
            guard token != nil else { return nil }
            ownTalk = begin - Self.echoSeconds..<dueSeconds + Self.echoSeconds
            return begin
        }
    }
}
