import EarshotChannel
public import EarshotCoding
public import EarshotDiscovery

/// Who is in a room, and when.
public struct RoomPlan: Sendable {
    /// A device.
    public struct Device: Sendable, Equatable {
        /// What it does.
        public var mode = DiscoveryMode.both
        /// From when it is there.
        public var arrivalSeconds = 0.0
        /// Until when.
        public var departureSeconds = Double.infinity

        /// See the properties of the same names.
        public init(
            mode: DiscoveryMode = .both, arrivalSeconds: Double = 0, departureSeconds: Double = .infinity
        ) {
            self.mode = mode
            self.arrivalSeconds = arrivalSeconds
            self.departureSeconds = departureSeconds
        }
    }

    /// All of them.
    public var devices: [Device]
    /// What they aim at.
    public var limits = TalkLimits()
    /// Of chance.
    public var seed: UInt64

    /// See the properties of the same names.
    public init(_ devices: [Device], seed: UInt64) {
        self.devices = devices
        self.seed = seed
    }

    /// Some that come within a second.
    public init(deviceCount: Int, seed: UInt64) {
        let steps = Double(max(1, deviceCount - 1))
        self.init((0..<deviceCount).map { Device(arrivalSeconds: Double($0) / steps) }, seed: seed)
    }

    /// The devices' tokens, from the seed; shape [devices].
    public var tokens: [Payload] {
        var generator = SeededGenerator(seed: ~seed)
        return devices.map { _ in
            guard let token = try? Payload((0..<8).map { _ in UInt8(truncatingIfNeeded: generator.next()) }) else {
                preconditionFailure("8 bytes are a token")
            }
            return token
        }
    }
}
