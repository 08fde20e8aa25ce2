/// An advertisement, as an adapter sends or receives it: the parts that carry tokens and beacons.
public struct Advertisement: Sendable, Hashable {
    /// The data of services.
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// The data of manufacturers, by company identifier.
    public var manufacturerData: [UInt16: [UInt8]]
    /// The services that the sender lists.
    public var serviceUUIDs: [BluetoothUUID]
    /// The time from one frame to the next, for an advertisement to send; nil for a tenth of a second or slightly more.
    /// bluetoothd may choose another.
    public var interval: Duration?

    /// An advertisement of these parts.
    public init(
        serviceData: [BluetoothUUID: [UInt8]] = [:], manufacturerData: [UInt16: [UInt8]] = [:],
        serviceUUIDs: [BluetoothUUID] = []
    ) {
        self.serviceData = serviceData
        self.manufacturerData = manufacturerData
        self.serviceUUIDs = serviceUUIDs
    }
}

/// An advertisement that an adapter received.
public struct ReceivedAdvertisement: Sendable, Hashable {
    /// The sender's Bluetooth address, such as `00:11:22:33:44:55`. It may be random and change.
    public var address: String
    /// The received signal strength in dBm; nil if the adapter does not report it (the controller's value 127).
    public var rssiDecibelMilliwatts: Int?
    /// The content.
    public var content: Advertisement
    /// How long the sender may be silent and still count as present: longer if it is heard in few rounds of the scan, and while
    /// another program holds the scan.
    public var patience: Duration

    /// A reception of these values.
    public init(
        address: String, rssiDecibelMilliwatts: Int? = nil, content: Advertisement, patience: Duration = .seconds(9)
    ) {
        self.address = address
        self.rssiDecibelMilliwatts = rssiDecibelMilliwatts
        self.content = content
        self.patience = patience
    }
}
