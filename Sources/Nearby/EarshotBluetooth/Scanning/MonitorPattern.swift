import EarshotDBus

/// A pattern in the form of an advertisement monitor: bytes at a position in the data of one type.
///
/// Source: BlueZ, `org.bluez.AdvertisementMonitor(5)`; Bluetooth Assigned Numbers, section 2.3 "Common Data Types".
struct MonitorPattern: Sendable, Equatable {
    private static let serviceData16: UInt8 = 0x16
    private static let serviceData128: UInt8 = 0x21
    private static let manufacturerData: UInt8 = 0xFF

    /// The type of the data.
    let type: UInt8
    /// The bytes with which the data begins.
    let content: [UInt8]

    /// The monitor's pattern for an `AdvertisementPattern`.
    init(_ pattern: AdvertisementPattern) {
        switch pattern {
        case .serviceData(let service):
            if let short = service.short {
                type = Self.serviceData16
                content = Self.littleEndian(short)
            } else {
                type = Self.serviceData128
                content = service.bytes.reversed()
            }
        case .manufacturerData(let company, let prefix):
            type = Self.manufacturerData
            content = Self.littleEndian(company) + prefix
        }
    }

    /// The value of the property `Patterns`, with this pattern alone.
    var value: DBusValue {
        .array(of: "(yyay)", [.structure([.byte(0), .byte(type), .bytes(content)])])
    }

    private static func littleEndian(_ number: UInt16) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8)] }
}
