package import EarshotDiscovery

/// What the devices in a room hear of each other's tokens: a table, or the modem in simulated air.
package protocol RoomEars {
    /// The profile's lengths that talkers keep to.
    var timing: TalkTiming { get }

    /// Lets time go on to `seconds`.
    /// - Parameters:
    ///   - begun: talks that begin before that, and were not given before; each goes to its end.
    ///   - isPresent: who listens; shape [devices].
    /// - Returns: what was decoded meanwhile.
    mutating func advance(toSeconds seconds: Double, begun: [RoomTalk], isPresent: [Bool]) -> [RoomHearing]

    /// Whether a device hears anything at the moment.
    func isBusy(_ device: Int) -> Bool
}

/// A token on the air.
package struct RoomTalk: Sendable, Equatable {
    /// Who says it.
    package var talker: Int
    /// From when.
    package var beginSeconds: Double

    /// See the properties of the same names.
    package init(talker: Int, beginSeconds: Double) {
        (self.talker, self.beginSeconds) = (talker, beginSeconds)
    }
}

/// A token that was decoded.
package struct RoomHearing: Sendable, Equatable {
    /// Who says it.
    package var talker: Int
    /// Who heard it.
    package var listener: Int
    /// When it began, as the listener sees it.
    package var beginSeconds: Double
}
