import EarshotDiscovery
package import EarshotSound

/// Decides which tokens the devices in a room decode: by a table, or with the modem in simulated air.
package protocol RoomEars {
    /// The lengths of the profile's slots, on which all talkers agree.
    var timing: TalkTiming { get }

    /// Advances the time to `seconds`.
    /// - Parameters:
    ///   - begun: the talks that begin before that and are new; each lasts to its end.
    ///   - isPresent: whether a device listens; shape [devices].
    /// - Returns: the tokens decoded meanwhile.
    mutating func advance(toSeconds seconds: Double, begun: [RoomTalk], isPresent: [Bool]) -> [RoomHearing]

    /// Whether a device hears sound at this moment.
    func isBusy(_ device: Int) -> Bool
}

/// A token on the air.
package struct RoomTalk: Sendable, Equatable {
    /// The index of the device that sends it.
    package var talker: Int
    /// Its start, in seconds.
    package var beginSeconds: Double

    /// Sets the properties of the same names.
    package init(talker: Int, beginSeconds: Double) {
        (self.talker, self.beginSeconds) = (talker, beginSeconds)
    }
}

/// A token that was decoded.
package struct RoomHearing: Sendable, Equatable {
    /// The index of the device that sent it.
    package var talker: Int
    /// The index of the device that decoded it.
    package var listener: Int
    /// Its start, in seconds, by the listener's estimate.
    package var beginSeconds: Double
}
