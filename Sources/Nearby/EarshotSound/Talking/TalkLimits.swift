/// The aims of `TalkPolicy`. The defaults come from simulated rooms.
public struct TalkLimits: Sendable, Equatable {
    /// The maximum mean number of talkers in one slot: a receiver in free air decodes this many together.
    public var talkersPerSlot = 4.0
    /// The minimum mean number of talkers in one slot, for rooms in which several are hard to decode.
    public var minimumTalkersPerSlot = 1.5
    /// The minimum number of slots in a round. A device talks once a round.
    public var minimumRoundSlots = 3
    /// The slots in a round of a device that does not listen, and so cannot estimate the number of devices.
    public var deafRoundSlots = 6
    /// The maximum number of rounds in a period. A device's pattern repeats after a period.
    public var roundCount = 5
    /// How often in a period a neighbour should be heard. If it is heard less often, this device changes its pattern.
    public var soughtCount = 3
    /// The probability of a change when one is needed, 0 ... 1: not all devices whose patterns collide should move.
    public var changeProbability = 0.5

    /// The default limits.
    public init() {}
}
