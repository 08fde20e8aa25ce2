import EarshotBasics
import EarshotChannel
package import EarshotCoding
package import EarshotDiscovery
package import EarshotSound

/// The devices of a room, and the times at which they are there.
package struct RoomPlan: Sendable {
    /// A device.
    package struct Device: Sendable, Equatable {
        /// The directions in which it works.
        package var mode = DiscoveryMode.both
        /// The time of its arrival, in seconds.
        package var arrivalSeconds = 0.0
        /// The time of its departure, in seconds.
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
    /// Whether the devices' tokens are similar: 0 … 01, 0 … 02, 0 … 03. Otherwise they are random.
    package var areTokensAlike = false
    /// The lead with which their policies decide, as those of real devices must.
    package var leadSeconds = 0.0
    /// The aims of their policies.
    package var limits = TalkLimits()
    /// The seed of all random numbers.
    package var seed: UInt64

    /// Sets the properties of the same names.
    package init(_ devices: [Device], seed: UInt64) {
        self.devices = devices
        self.seed = seed
    }

    /// A number of devices that arrive within a second, in equal steps.
    package init(deviceCount: Int, seed: UInt64) {
        let steps = Double(max(1, deviceCount - 1))
        self.init((0..<deviceCount).map { Device(arrivalSeconds: Double($0) / steps) }, seed: seed)
    }

    /// The devices' tokens, from the seed unless they are similar; shape [devices].
    package var tokens: [Payload] {
        var generator = SeededGenerator(seed: ~seed)
        return devices.indices.map { index in
            let number = areTokensAlike ? [0, 0, 0, 0, 0, 0, UInt8(index + 1 >> 8), UInt8(index + 1 & 255)] : nil
            let bytes = number ?? (0..<8).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            guard let token = try? Payload(bytes) else { preconditionFailure("8 bytes are a token") }
            return token
        }
    }
}
