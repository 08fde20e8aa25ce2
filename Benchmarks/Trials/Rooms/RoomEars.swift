import EarshotDiscovery
package import EarshotSound

/// Decides which tokens the devices in a room hear: by a table, or with the modem in simulated air.
package protocol RoomEars {
    /// The lengths of the profile's slots, on which all talkers agree.
    var timing: TalkTiming { get }

    /// Lets time go on to `seconds`.
    /// - Parameters:
    ///   - begun: the talks that begin before that and were not given before; each lasts to its end.
    ///   - isPresent: whether a device listens; shape [devices].
    /// - Returns: the tokens decoded meanwhile.
    mutating func advance(toSeconds seconds: Double, begun: [RoomTalk], isPresent: [Bool]) -> [RoomHearing]

    /// Whether a device hears sound at the moment.
    func isBusy(_ device: Int) -> Bool
}

/// A token on the air.
package struct RoomTalk: Sendable, Equatable {
    /// The device that says it, an index.
    package var talker: Int
    /// When it begins, in seconds.
    package var beginSeconds: Double

    /// Sets the properties of the same names.
    package init(talker: Int, beginSeconds: Double) {
        (self.talker, self.beginSeconds) = (talker, beginSeconds)
    }
}

/// A token that was decoded.
package struct RoomHearing: Sendable, Equatable {
    /// The device that says it, an index.
    package var talker: Int
    /// The device that heard it, an index.
    package var listener: Int
    /// When it began, in seconds, as the listener sees it.
    package var beginSeconds: Double
}
