public import Foundation
public import NearbyWire

/// A mobile network of an organization, with the codes of its SIM cards.
public struct PushMobileNetwork: Sendable, Hashable, Codable {
    /// The mobile country code: 3 digits.
    public var countryCode: String
    /// The mobile network code: 2 or 3 digits.
    public var networkCode: String
    /// The tracking area code: hexadecimal digits, up to 6; nil for every area.
    public var trackingAreaCode: String?

    /// A network with these codes.
    public init(countryCode: String, networkCode: String, trackingAreaCode: String? = nil) {
        self.countryCode = countryCode
        self.networkCode = networkCode
        self.trackingAreaCode = trackingAreaCode
    }

    /// Whether an area can belong to both.
    package func overlaps(_ other: PushMobileNetwork) -> Bool {
        countryCode == other.countryCode && networkCode == other.networkCode
            && (trackingAreaCode == nil || other.trackingAreaCode == nil
                || area == other.area)
    }

    /// Whether a device in the network `present` is in this one.
    package func matches(_ present: PushMobileNetwork) -> Bool {
        countryCode == present.countryCode && networkCode == present.networkCode
            && (trackingAreaCode == nil || area == present.area)
    }

    /// The area without leading zeros.
    private var area: String? { trackingAreaCode.map { $0.uppercased().trimmingPrefix { $0 == "0" } }.map(String.init) }

    var isValid: Bool {
        func isDecimal(_ text: String) -> Bool {
            text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        return countryCode.utf8.count == 3 && isDecimal(countryCode) && (2...3).contains(networkCode.utf8.count)
            && isDecimal(networkCode)
            && trackingAreaCode.map {
                (1...6).contains($0.utf8.count) && $0.unicodeScalars.allSatisfy(\.properties.isASCIIHexDigit)
            } ?? true
    }
}

/// The networks that an app's provider serves, and its settings. One file each; see `PushConfigurationStore`.
public struct PushConfiguration: Sendable, Hashable {
    /// The maximum number of Wi-Fi networks, and of mobile networks.
    public static let maximumNetworkCount = 10
    /// The maximum length of the name of a Wi-Fi network; the minimum is 1.
    public static let maximumSSIDByteCount = 32
    /// The maximum length of `localizedDescription` in UTF-8.
    public static let maximumDescriptionByteCount = 512
    /// The maximum length of `providerConfiguration` as JSON.
    public static let maximumProviderConfigurationByteCount = 65_536
    /// The maximum length of the identifiers of apps and providers.
    public static let maximumNameByteCount = 128

    /// Unique among all apps of the user, and the name of the file: 1 to 64 of `A-Z a-z 0-9 -`.
    public var identifier: String
    /// The app that saved it, 1 to 128 bytes.
    public var app: String
    /// The names of Wi-Fi networks: up to 10, each 1 to 32 bytes, which need not be UTF-8.
    public var ssids: [[UInt8]] = []
    /// Whether it matches while Ethernet has the primary route.
    public var matchesEthernet = false
    /// Mobile networks, up to 10.
    public var mobileNetworks: [PushMobileNetwork] = []
    /// Passed to the provider unchanged.
    public var providerConfiguration: [String: PropertyList] = [:]
    /// Names the provider's manifest, `<provider>.json`: 1 to 128 of `A-Z a-z 0-9 . _ -`, not `.` first.
    public var provider: String?
    /// A description for the user.
    public var localizedDescription: String?
    /// Whether the provider runs while a network matches.
    public var isEnabled = false
    /// The configuration whose saving switched this one off; nil if the app or the user did.
    public package(set) var supersededBy: String?
    /// The number of this save among those of all configurations; 0 before the first.
    public package(set) var savedCount: UInt64 = 0
    /// The folder of the app's program, where the agent looks for its manifest.
    package var programFolder: String?

    /// A configuration without networks, which is not enabled.
    public init(identifier: String = UUID().uuidString.lowercased(), app: String) {
        self.identifier = identifier
        self.app = app
    }

    /// The reason why the configuration cannot be saved, as a sentence; nil if it can.
    public var flaw: String? {
        guard Self.isIdentifier(identifier) else { return "Its identifier is not 1 to 64 of A-Z a-z 0-9 -." }
        guard !app.isEmpty, app.utf8.count <= Self.maximumNameByteCount,
            app.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return "An app's identifier has 1 to \(Self.maximumNameByteCount) bytes of text." }
        guard ssids.count <= Self.maximumNetworkCount else {
            return "It names \(ssids.count) Wi-Fi networks; the maximum is \(Self.maximumNetworkCount)."
        }
        for (index, ssid) in ssids.enumerated() where !(1...Self.maximumSSIDByteCount).contains(ssid.count) {
            return "The name of Wi-Fi network \(index + 1) has \(ssid.count) bytes; it must have 1 to "
                + "\(Self.maximumSSIDByteCount)."
        }
        guard mobileNetworks.count <= Self.maximumNetworkCount else {
            return "It names \(mobileNetworks.count) mobile networks; the maximum is \(Self.maximumNetworkCount)."
        }
        guard mobileNetworks.allSatisfy(\.isValid) else {
            return
                "A mobile network needs a country code of 3 digits and a network code of 2 or 3; a tracking area code "
                + "is hexadecimal, with up to 6 digits."
        }
        if let provider, !Self.isProvider(provider) {
            return "The provider's identifier is not 1 to \(Self.maximumNameByteCount) of A-Z a-z 0-9 . _ -, or begins "
                + "with a dot."
        }
        guard localizedDescription?.utf8.count ?? 0 <= Self.maximumDescriptionByteCount else {
            return "Its description has more than \(Self.maximumDescriptionByteCount) bytes."
        }
        let byteCount = PropertyList.dictionary(providerConfiguration).json.count
        guard byteCount <= Self.maximumProviderConfigurationByteCount else {
            return "The provider's configuration takes \(byteCount) bytes; the maximum is "
                + "\(Self.maximumProviderConfigurationByteCount)."
        }
        guard isEnabled else { return nil }
        guard provider != nil else { return "It is enabled and has no providerBundleIdentifier." }
        guard !ssids.isEmpty || matchesEthernet || !mobileNetworks.isEmpty else {
            return "It is enabled and names no network."
        }
        return nil
    }

    static func isIdentifier(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
    }

    static func isProvider(_ text: String) -> Bool {
        (1...maximumNameByteCount).contains(text.utf8.count) && !text.hasPrefix(".")
            && text.utf8.allSatisfy { isAlphanumeric($0) || "._-".utf8.contains($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// Whether one network can match both.
    public func overlaps(_ other: PushConfiguration) -> Bool {
        matchesEthernet && other.matchesEthernet || !Set(ssids).isDisjoint(with: other.ssids)
            || mobileNetworks.contains { mine in other.mobileNetworks.contains { mine.overlaps($0) } }
    }
}

extension PushConfiguration: Codable {
    /// Increased with each change that an older program would misunderstand.
    private static let version = 1

    private enum Key: String, CodingKey {
        case version, identifier, app, ssids, ethernet, mobileNetworks, providerConfiguration, provider, description
        case isEnabled, supersededBy, savedCount, programFolder
    }

    /// A configuration from its JSON.
    /// - Throws: a `DecodingError` if the JSON is of another form or version, or if `flaw` is not nil.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        guard try values.decode(Int.self, forKey: .version) == Self.version else {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: values, debugDescription: "It is of another version.")
        }
        self.init(
            identifier: try values.decode(String.self, forKey: .identifier),
            app: try values.decode(String.self, forKey: .app))
        ssids = try values.decode([PropertyList].self, forKey: .ssids).map { name in
            switch name {
            case .string(let text): Array(text.utf8)
            case .data(let data): Array(data)
            default:
                throw DecodingError.dataCorruptedError(
                    forKey: .ssids, in: values, debugDescription: "An SSID is neither text nor data.")
            }
        }
        matchesEthernet = try values.decode(Bool.self, forKey: .ethernet)
        mobileNetworks = try values.decode([PushMobileNetwork].self, forKey: .mobileNetworks)
        guard case .dictionary(let entries) = try values.decode(PropertyList.self, forKey: .providerConfiguration)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .providerConfiguration, in: values, debugDescription: "It is not a dictionary.")
        }
        providerConfiguration = entries
        provider = try values.decodeIfPresent(String.self, forKey: .provider)
        localizedDescription = try values.decodeIfPresent(String.self, forKey: .description)
        isEnabled = try values.decode(Bool.self, forKey: .isEnabled)
        supersededBy = try values.decodeIfPresent(String.self, forKey: .supersededBy)
        savedCount = try values.decode(UInt64.self, forKey: .savedCount)
        programFolder = try values.decodeIfPresent(String.self, forKey: .programFolder)
        if let flaw {
            throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: flaw))
        }
    }

    /// Writes the configuration as JSON.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(Self.version, forKey: .version)
        try values.encode(identifier, forKey: .identifier)
        try values.encode(app, forKey: .app)
        let names = ssids.map { ssid in
            String(validating: ssid, as: UTF8.self).map(PropertyList.string) ?? .data(Data(ssid))
        }
        try values.encode(names, forKey: .ssids)
        try values.encode(matchesEthernet, forKey: .ethernet)
        try values.encode(mobileNetworks, forKey: .mobileNetworks)
        try values.encode(PropertyList.dictionary(providerConfiguration), forKey: .providerConfiguration)
        try values.encodeIfPresent(provider, forKey: .provider)
        try values.encodeIfPresent(localizedDescription, forKey: .description)
        try values.encode(isEnabled, forKey: .isEnabled)
        try values.encodeIfPresent(supersededBy, forKey: .supersededBy)
        try values.encode(savedCount, forKey: .savedCount)
        try values.encodeIfPresent(programFolder, forKey: .programFolder)
    }
}
