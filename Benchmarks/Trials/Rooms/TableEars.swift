import EarshotChannel
package import EarshotDiscovery

/// Ears that decode by a table. Half duplex: a token is lost on whoever talks during any of it.
package struct TableEars: RoomEars {
    /// See the protocol.
    package let timing: TalkTiming
    private let table: DecodingTable
    private var generator: SeededGenerator
    private var seconds = 0.0
    /// Those that overlap with what is still to be decided.
    private var talks: [RoomTalk] = []
    private var pending: [(dueSeconds: Double, hearing: RoomHearing)] = []
    private var decided = 0

    /// From a token's end to its report.
    private static let latencySeconds = 0.1

    /// - Parameter seed: of chance.
    package init(timing: TalkTiming, table: DecodingTable, seed: UInt64) {
        self.timing = timing
        self.table = table
        generator = SeededGenerator(seed: seed)
    }

    /// See the protocol.
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
        // Two tokens before the oldest that is not decided nothing overlaps it.
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

    /// See the protocol.
    package func isBusy(_ device: Int) -> Bool {
        talks.contains {
            $0.talker != device && $0.beginSeconds <= seconds && seconds < $0.beginSeconds + timing.tokenSeconds
        }
    }
}
