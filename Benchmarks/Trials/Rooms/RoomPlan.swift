import EarshotChannel
package import EarshotCoding
package import EarshotDiscovery

/// Who is in a room, and when.
package struct RoomPlan: Sendable {
    /// A device.
    package struct Device: Sendable, Equatable {
        /// What it does.
        package var mode = DiscoveryMode.both
        /// From when it is there.
        package var arrivalSeconds = 0.0
        /// Until when.
        package var departureSeconds = Double.infinity

        /// See the properties of the same names.
        package init(
            mode: DiscoveryMode = .both, arrivalSeconds: Double = 0, departureSeconds: Double = .infinity
        ) {
            self.mode = mode
            self.arrivalSeconds = arrivalSeconds
            self.departureSeconds = departureSeconds
        }
    }

    /// All of them.
    package var devices: [Device]
    /// What they aim at.
    package var limits = TalkLimits()
    /// Of chance.
    package var seed: UInt64

    /// See the properties of the same names.
    package init(_ devices: [Device], seed: UInt64) {
        self.devices = devices
        self.seed = seed
    }

    /// Some that come within a second.
    package init(deviceCount: Int, seed: UInt64) {
        let steps = Double(max(1, deviceCount - 1))
        self.init((0..<deviceCount).map { Device(arrivalSeconds: Double($0) / steps) }, seed: seed)
    }

    /// The devices' tokens, from the seed; shape [devices].
    package var tokens: [Payload] {
        var generator = SeededGenerator(seed: ~seed)
        return devices.map { _ in
            guard let token = try? Payload((0..<8).map { _ in UInt8(truncatingIfNeeded: generator.next()) }) else {
                preconditionFailure("8 bytes are a token")
            }
            return token
        }
    }
}
