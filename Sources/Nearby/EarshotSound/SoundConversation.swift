import EarshotCoding
import EarshotDiscovery
import EarshotModem

/// A token that was decoded.
struct SoundHearing: Sendable {
    var payload: Payload
    var startSeconds: Double
    var endSeconds: Double
    var snrDecibels: Double
    /// Its place in the recorded sound, in the same seconds as levels.
    var soundSeconds: Range<Double>
}

/// Decides what one device says in sound, from what it hears: it feeds `TalkPolicy`. It has no device, no thread and no
/// clock; the caller passes the time.
///
/// Sound that is written now is heard a lead later. So the policy runs ahead by the lead: the decision for t is made at
/// t − lead.
struct SoundConversation<Chance: RandomNumberGenerator & Sendable>: Sendable {
    /// The seconds around the own token in which a level may include the token itself or its echo.
    private static var echoSeconds: Double { 0.15 }
    /// The maximum number of tokens that wait for the next step, which a hanging device may delay.
    private static var maximumHeardCount: Int { 256 }

    let leadSeconds: Double
    private var policy: TalkPolicy
    private var generator: Chance
    private var busyBand = BusyBand()
    private var ahead: SoundAhead
    private var ownTokens = OwnTokens()
    private var heard: [TalkPolicy.Heard] = []
    /// Whether the air is busy now with sound other than the own token.
    private(set) var isBusy = false
    private var passed = Passed()
    private var levels: [(seconds: Double, decibels: Double)] = []
    /// The maximum number of remembered levels: 3 s of them, longer than any token.
    private static var maximumLevelCount: Int { 80 }
    private var ownTalk = OwnTalk()
    /// The time of the policy's next decision, unless a token is heard before that; never during the own token.
    private(set) var dueSeconds = -Double.infinity

    /// Seconds since the policy's last decision.
    private struct Passed {
        /// In which the band was busy, and in which it could be heard.
        var (busySeconds, heardSeconds) = (0.0, 0.0)
        var allSeconds = 0.0
    }

    private struct OwnTalk {
        /// When the latest token, or its echo, may be heard.
        var seconds = -Double.infinity ..< -Double.infinity
        /// Whether the policy has begun a talk and was not asked again.
        var isUnderway = false
    }

    init(mode: DiscoveryMode, profile: Profile, leadSeconds: Double, generator: Chance) {
        let timing = TalkTiming(profile)
        policy = TalkPolicy(mode: mode, timing: timing)
        ahead = SoundAhead(tokenSeconds: timing.tokenSeconds)
        self.leadSeconds = leadSeconds
        self.generator = generator
    }

    /// The token to broadcast now.
    var token: Payload? { ownTokens.present }

    /// Whether a sound other than a token fills the band all the time.
    var isBandOccupied: Bool { policy.isBandOccupied }

    /// The number of neighbours.
    var neighbourCount: Int { policy.neighbourCount }

    mutating func own(_ token: Payload) { ownTokens.add(token) }

    /// Takes a token that was decoded.
    /// - Returns: nil for an own token.
    mutating func hear(_ hearing: SoundHearing, nowSeconds: Double) -> Sighting? {
        guard !ownTokens.contains(hearing.payload) else { return nil }
        let patience = policy.patienceSeconds(ofNext: hearing.startSeconds, from: hearing.payload)
        heard.append(TalkPolicy.Heard(token: hearing.payload, startSeconds: hearing.startSeconds))
        if heard.count > Self.maximumHeardCount { heard.removeFirst() }
        // The policy counts from the start of a token, a sighting from its end.
        let seconds = hearing.endSeconds - hearing.startSeconds
        return Sighting(
            token: hearing.payload, snrDecibels: hearing.snrDecibels,
            levelDecibels: level(in: hearing.soundSeconds),
            age: .seconds(max(0, nowSeconds - hearing.endSeconds)), patience: .seconds(max(0, patience - seconds)))
    }

    /// Takes the level of the band since the last one, up to now.
    /// - Parameters:
    ///   - isReceiving: whether the receiver is in the middle of a frame, which may be too quiet for the level to show.
    ///   - soundSeconds: the place in the recorded sound. A busy machine passes several levels at once.
    mutating func take(levelDecibels: Double, isReceiving: Bool = false, soundSeconds: Double, nowSeconds: Double) {
        let seconds = max(0, soundSeconds - (levels.last?.seconds ?? soundSeconds))
        levels.append((soundSeconds, levelDecibels))
        if levels.count > Self.maximumLevelCount { levels.removeFirst() }
        passed.allSeconds += seconds
        guard !ownTalk.seconds.overlaps(nowSeconds - seconds..<nowSeconds.nextUp) else {
            isBusy = false
            ahead.takeOwn(beginSeconds: ownTalk.seconds.lowerBound + Self.echoSeconds)
            return
        }
        let isLoud = busyBand.take(levelDecibels, atSeconds: nowSeconds)
        isBusy = isLoud || isReceiving
        ahead.take(isBusy: isBusy, atSeconds: nowSeconds)
        passed.heardSeconds += seconds
        if isBusy { passed.busySeconds += seconds }
    }

    /// The state of the band since the last step, and at the time of the step. During the own token it assumes the same
    /// share as for the rest.
    private mutating func takeBand(untilSeconds end: Double) -> TalkPolicy.Band {
        let share = passed.heardSeconds > 0 ? passed.busySeconds / passed.heardSeconds : 0
        let band = TalkPolicy.Band(
            isBusy: isBusy && ahead.lasts(toSeconds: end), busySeconds: share * passed.allSeconds)
        passed = Passed()
        return band
    }

    /// The level of the band in a stretch: the median, so that its edges and short noises do not count.
    private func level(in stretch: Range<Double>) -> Double? {
        let during = levels.filter { stretch.contains($0.seconds) }.map(\.decibels).sorted()
        return during.isEmpty ? nil : during[during.count / 2]
    }

    /// Whether the policy has something to decide.
    func isDue(nowSeconds: Double) -> Bool {
        nowSeconds + leadSeconds >= dueSeconds || !heard.isEmpty && !ownTalk.isUnderway
    }

    /// Lets the policy decide, when `isDue` says so.
    /// - Returns: when to begin to talk; nil to listen.
    mutating func step(nowSeconds: Double) -> Double? {
        let action = policy.step(
            nowSeconds: nowSeconds + leadSeconds, heard: heard, band: takeBand(untilSeconds: nowSeconds + leadSeconds),
            using: &generator)
        heard.removeAll(keepingCapacity: true)
        switch action {
        case .listen(let until):
            dueSeconds = until
            ownTalk.isUnderway = false
            return nil
        case .talk(let begin):
            dueSeconds = begin + policy.timing.tokenSeconds
            ownTalk.isUnderway = true
            guard token != nil else { return nil }
            ownTalk.seconds = begin - Self.echoSeconds..<dueSeconds + Self.echoSeconds
            return begin
        }
    }
}
