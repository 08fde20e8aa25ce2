/// Which of several advertisements is on the air of a controller that sends one at a time. All programs derive the same
/// answer from the taken seats and from the machine's monotonic clock.
struct AirTime: Sendable, Equatable {
    /// The time in which each has its turn. It is neither a divisor nor a multiple of a scan's period: otherwise the
    /// pauses of a scan would always fall into the same turn. With six or seven seats the shortest turns make it 3.6 or
    /// 4.2 s, and such a scan can miss one of them for a minute.
    static let cycle = Duration.seconds(3)
    /// The minimum length of a turn: four frames, all of which a passive scan misses once in 16 times.
    static let minimumTurn = Duration.milliseconds(600)

    /// The taken seats, in order. One program may have several.
    let seats: [Int]

    /// How long each is on the air.
    var turn: Duration { max(Self.cycle / max(1, seats.count), Self.minimumTurn) }

    /// The seat whose turn it is; nil if none is taken.
    /// - Parameter now: The time of the machine's monotonic clock.
    func seat(at now: Duration) -> Int? {
        seats.isEmpty ? nil : seats[Int(number(at: now) % Int64(seats.count))]
    }

    /// The number of the turn.
    func number(at now: Duration) -> Int64 { Int64((now / turn).rounded(.down)) }

    /// The time until the next turn begins; more than zero.
    func untilNext(_ now: Duration) -> Duration {
        let turns = now / turn
        return turn * (turns.rounded(.down) + 1 - turns)
    }
}
