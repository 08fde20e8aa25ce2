import EarshotBasics
import EarshotChannel
import EarshotDiscovery
package import EarshotSound

/// Ears that decode by a table. They are half duplex: a device loses a token if it talks during any part of it.
package struct TableEars: RoomEars {
    /// The lengths of the profile's slots.
    package let timing: TalkTiming
    private let table: DecodingTable
    private var generator: SeededGenerator
    private var seconds = 0.0
    /// The talks that overlap with undecided ones.
    private var talks: [RoomTalk] = []
    private var pending: [(dueSeconds: Double, hearing: RoomHearing)] = []
    private var decided = 0

    /// Seconds from the end of a token to its report.
    private static let latencySeconds = 0.1

    /// - Parameter seed: the seed of all random numbers.
    package init(timing: TalkTiming, table: DecodingTable, seed: UInt64) {
        self.timing = timing
        self.table = table
        generator = SeededGenerator(seed: seed)
    }

    /// See `RoomEars`.
    package mutating func advance(
        toSeconds seconds: Double, begun: [RoomTalk], isPresent: [Bool]
    ) -> [RoomHearing] {
        self.seconds = seconds
        talks += begun
        talks.sort { ($0.beginSeconds, $0.talker) < ($1.beginSeconds, $1.talker) }
        while decided < talks.count, talks[decided].beginSeconds + timing.tokenSeconds <= seconds {
            decide(talks[decided], isPresent)
            decided += 1
        }
        // A talk that began two tokens before the oldest undecided one cannot overlap it.
        let kept = talks.firstIndex { $0.beginSeconds > seconds - 3 * timing.tokenSeconds } ?? talks.count
        talks.removeFirst(min(kept, decided))
        decided -= min(kept, decided)
        let due = pending.filter { $0.dueSeconds <= seconds }.map(\.hearing)
        pending.removeAll { $0.dueSeconds <= seconds }
        return due.filter { isPresent[$0.listener] }
    }

    private mutating func decide(_ talk: RoomTalk, _ isPresent: [Bool]) {
        let meeting = talks.filter { abs($0.beginSeconds - talk.beginSeconds) < timing.tokenSeconds }
        let talkers = Set(meeting.map(\.talker))
        for listener in isPresent.indices where isPresent[listener] && !talkers.contains(listener) {
            guard Double(generator.uniform()) < table[talkers.count] else { continue }
            pending.append(
                (
                    talk.beginSeconds + timing.tokenSeconds + Self.latencySeconds,
                    RoomHearing(talker: talk.talker, listener: listener, beginSeconds: talk.beginSeconds)
                ))
        }
    }

    /// See `RoomEars`.
    package func isBusy(_ device: Int) -> Bool {
        talks.contains {
            $0.talker != device && $0.beginSeconds <= seconds && seconds < $0.beginSeconds + timing.tokenSeconds
        }
    }
}
