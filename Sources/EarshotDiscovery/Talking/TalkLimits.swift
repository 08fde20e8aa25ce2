/// What `TalkPolicy` aims at. The defaults are those that simulated rooms led to.
public struct TalkLimits: Sendable, Equatable {
    /// How many should talk in one slot, on the average, at most: a receiver in free air decodes so many together.
    public var talkersPerSlot = 3.4
    /// At least, where rooms make it hard to decode several.
    public var leastTalkersPerSlot = 1.5
    /// Slots in a round, at least. A device talks once a round.
    public var leastRoundSlots = 3
    /// Slots in a round of a device that hears nothing, and so does not know how many there are.
    public var deafRoundSlots = 6
    /// Rounds in a period, after which a device's pattern repeats, at most.
    public var roundCount = 5
    /// How often in a period a neighbour is to be heard; where it is not, the own pattern changes.
    public var soughtCount = 3
    /// The probability of a change where one is called for: not all who meet shall move.
    public var changeProbability = 0.5

    /// The defaults.
    public init() {}
}
