import EarshotDBus

/// The devices whose advertisements bluetoothd reports: signals in, receptions out. It has no clock; the caller passes the time.
///
/// bluetoothd reports a reception in parts, which the book joins: `InterfacesAdded` or `PropertiesChanged` has the
/// content, and `DeviceFound` says that known content was heard again. The book learns how long each device may be
/// silent (`SilencePatience`).
struct DeviceBook {
    /// The maximum number of devices. An attacker can send from any number of addresses.
    static let maximumCount = 2_048
    /// If the book is full, a device that has been silent for this long is forgotten.
    static let memory = Duration.seconds(30)
    /// `DeviceFound` this soon after the content is the same reception.
    private static let oneReception = Duration.milliseconds(50)
    /// The maximum number of services and manufacturers whose data is stored for a device.
    private static let maximumPartCount = 32

    private struct Device {
        var content = Advertisement()
        var rssi: Int?
        var heard: Duration
        /// The time when its content was last reported.
        var reported: Duration?
        var silence = SilencePatience()
    }

    /// Whether a foreign program holds the scan, so that new rounds do not restart it.
    var isShared = false

    private let power: ScanPower
    private var devices: [String: Device] = [:]

    /// An empty book.
    /// - Parameter power: the power of the scan.
    init(_ power: ScanPower) { self.power = power }

    /// The number of devices.
    var count: Int { devices.count }

    /// Takes new or changed properties of a device.
    /// - Returns: the reception; nil if the properties hold no content.
    mutating func change(_ path: String, _ properties: [String: DBusValue], now: Duration) -> ReceivedAdvertisement? {
        guard let address = BlueZName.address(devicePath: path) else { return nil }
        let content = Self.content(properties)
        let hasContent = !content.serviceData.isEmpty || !content.manufacturerData.isEmpty
        // A device without data of services or manufacturers is not relevant.
        guard hasContent || devices[path] != nil else { return nil }
        var device = devices[path] ?? Device(heard: now)
        if let rssi = properties["RSSI"]?.integer { device.rssi = Self.known(rssi) }
        device.heard = now
        if hasContent {
            device.content.serviceData.merge(content.serviceData) { _, new in new }
            device.content.manufacturerData.merge(content.manufacturerData) { _, new in new }
            if device.content.serviceData.count > Self.maximumPartCount
                || device.content.manufacturerData.count > Self.maximumPartCount
            {
                device.content = content
            }
            device.reported = now
            hear(&device, now: now)
        }
        store(device, path, now: now)
        guard hasContent else { return nil }
        return received(device, address, content)
    }

    /// The outcome of a call of `DeviceFound`.
    enum Found: Equatable {
        /// The device was heard, with this content.
        case heard(ReceivedAdvertisement)
        /// The content of this reception is reported already.
        case known
        /// The book does not know the content.
        case unknown
    }

    /// Notes that bluetoothd heard a device, with content that matches a pattern.
    mutating func found(_ path: String, _ pattern: AdvertisementPattern, now: Duration) -> Found {
        guard let address = BlueZName.address(devicePath: path) else { return .known }
        guard var device = devices[path], let part = pattern.part(of: device.content) else { return .unknown }
        defer { devices[path] = device }
        device.heard = now
        if let reported = device.reported, now - reported < Self.oneReception { return .known }
        device.reported = now
        hear(&device, now: now)
        return .heard(received(device, address, part))
    }

    /// Notes that bluetoothd forgot a device.
    mutating func remove(_ path: String) {
        devices[path] = nil
    }

    private func hear(_ device: inout Device, now: Duration) {
        if isShared { device.silence.pause() } else { device.silence.hear(now: now) }
    }

    private func received(_ device: Device, _ address: String, _ content: Advertisement) -> ReceivedAdvertisement {
        let patience = device.silence.patience(power)
        return ReceivedAdvertisement(
            address: address, rssiDecibelMilliwatts: device.rssi, content: content,
            patience: isShared ? max(patience, ScanRounds.patienceWhileShared) : patience)
    }

    private mutating func store(_ device: Device, _ path: String, now: Duration) {
        if devices[path] == nil, devices.count >= Self.maximumCount { makeRoom(now: now) }
        devices[path] = device
    }

    /// Forgets the devices that have been silent for long, and at least half of all, so that each address of a flood
    /// costs little.
    private mutating func makeRoom(now: Duration) {
        devices = devices.filter { now - $0.value.heard < Self.memory }
        guard devices.count > Self.maximumCount / 2 else { return }
        let newest = devices.sorted { $0.value.heard > $1.value.heard }.prefix(Self.maximumCount / 2)
        devices = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }

    /// The signal strength; nil if it is the controller's value for unknown, or impossible.
    private static func known(_ rssi: Int) -> Int? { (-127...20).contains(rssi) && rssi != 0 ? rssi : nil }

    /// The content in the properties of a device.
    private static func content(_ properties: [String: DBusValue]) -> Advertisement {
        var content = Advertisement()
        for (key, value) in (properties["ServiceData"]?.entries ?? [:]).prefix(maximumPartCount) {
            if let service = key.text.flatMap({ BluetoothUUID($0) }), let data = value.bytes {
                content.serviceData[service] = data
            }
        }
        for (key, value) in (properties["ManufacturerData"]?.entries ?? [:]).prefix(maximumPartCount) {
            if let company = key.integer.flatMap({ UInt16(exactly: $0) }), let data = value.bytes {
                content.manufacturerData[company] = data
            }
        }
        content.serviceUUIDs = (properties["UUIDs"]?.elements ?? []).prefix(maximumPartCount).compactMap {
            $0.text.flatMap { BluetoothUUID($0) }
        }
        return content
    }
}
