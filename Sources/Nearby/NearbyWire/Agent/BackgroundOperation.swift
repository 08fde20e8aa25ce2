package import Foundation

/// A publication or subscription that continues without its app, in the form for the agent. docs/AGENT.md describes its
/// JSON.
package struct BackgroundOperation: Codable, Sendable, Hashable {
    /// How to look for beacons.
    package struct Beacons: Codable, Sendable, Hashable {
        package var includesIBeacons: Bool
        package var prefersLowPower: Bool

        package init(includesIBeacons: Bool, prefersLowPower: Bool) {
            self.includesIBeacons = includesIBeacons
            self.prefersLowPower = prefersLowPower
        }

        /// The scan that it requests from the radio.
        package var scan: BeaconScan {
            BeaconScan(includesIBeacons: includesIBeacons, prefersLowPower: prefersLowPower && !includesIBeacons)
        }
    }

    /// The longest identifier, key and address, in bytes.
    package static let maximumIdentifierByteCount = 64
    package static let maximumKeyByteCount = 512
    package static let maximumServiceByteCount = 2_048

    /// Unique within the app, and the same after the app's restart: 1 to 64 of `A-Z a-z 0-9 . _ -`.
    package var id: String
    /// The key of the project.
    package var key: String
    /// The address of the service, without `/v1`.
    package var service: String
    /// The message of a publication; nil for a subscription.
    package var content: Data?
    /// The type and namespace of the message, or the filters of the subscription.
    package var type: String
    package var namespace: String
    /// The directions: 1 broadcast, 2 scan; 0 finds beacons only.
    package var mode: Int
    /// nil if the operation does not look for beacons.
    package var beacons: Beacons?
    /// The end of the operation, in seconds since 1970; nil for never.
    package var endsAt: Double?

    /// An operation of these values, with an identifier derived from them.
    /// - Parameter ordinal: distinguishes equal operations of one app; 1 for the first.
    package init(
        key: String, service: String, content: Data? = nil, type: String = "", namespace: String = "",
        mode: Int, beacons: Beacons? = nil, endsAt: Double? = nil, ordinal: Int = 1
    ) {
        id = ""
        self.key = key
        self.service = service
        self.content = content
        self.type = type
        self.namespace = namespace
        self.mode = mode
        self.beacons = beacons
        self.endsAt = endsAt
        id = "\(kind)-\(digest)-\(ordinal)"
    }

    /// The kind of the operation, in one word.
    package var kind: String {
        if content != nil { return "publication" }
        return mode == 0 ? "beacons" : "subscription"
    }

    /// Whether the other operation is the same, apart from its end.
    package func isSame(as other: BackgroundOperation) -> Bool {
        var (mine, theirs) = (self, other)
        (mine.endsAt, theirs.endsAt) = (nil, nil)
        return mine == theirs
    }

    package var serviceURL: URL? { URL(string: service) }

    /// 128 bits of FNV-1a in two halves. It only distinguishes the operations of one app, which can choose any
    /// identifier.
    private var digest: String {
        var halves: (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x6C62_272E_07BB_0142)
        func add(_ bytes: some Sequence<UInt8>) {
            for byte in bytes {
                halves.0 = (halves.0 ^ UInt64(byte)) &* 0x100_0000_01B3
                halves.1 = (halves.1 ^ UInt64(byte ^ 0x5A)) &* 0x100_0000_01B3
            }
        }
        for text in [
            key, service, type, namespace, "\(mode)",
            beacons.map { "\($0.includesIBeacons)\($0.prefersLowPower)" } ?? "",
        ] {
            add(text.utf8)
            add([0xFF])
        }
        add(content ?? Data())
        return [halves.0, halves.1].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
