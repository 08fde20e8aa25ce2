import EarshotChannel
package import EarshotCoding
package import EarshotDiscovery

/// The devices of a room, and when they are there.
package struct RoomPlan: Sendable {
    /// A device.
    package struct Device: Sendable, Equatable {
        /// The directions in which it works.
        package var mode = DiscoveryMode.both
        /// When it comes, in seconds.
        package var arrivalSeconds = 0.0
        /// When it leaves, in seconds.
        package var departureSeconds = Double.infinity

        /// Sets the properties of the same names.
        package init(
            mode: DiscoveryMode = .both, arrivalSeconds: Double = 0, departureSeconds: Double = .infinity
        ) {
            self.mode = mode
            self.arrivalSeconds = arrivalSeconds
            self.departureSeconds = departureSeconds
        }
    }

    /// All devices.
    package var devices: [Device]
    /// The aims of their policies.
    package var limits = TalkLimits()
    /// The seed of all random numbers.
    package var seed: UInt64

    /// Sets the properties of the same names.
    package init(_ devices: [Device], seed: UInt64) {
        self.devices = devices
        self.seed = seed
    }

    /// A number of devices that come within a second, in equal steps.
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
