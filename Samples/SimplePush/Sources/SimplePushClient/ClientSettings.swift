public import Foundation
public import SimplePushKit

/// The user's settings, in `$XDG_CONFIG_HOME/simplepush/settings.json`.
public struct ClientSettings: Codable, Sendable, Equatable {
    /// The server's name or address.
    public var host: String
    /// The server's port.
    public var port: Int
    /// The Wi-Fi networks on which the provider runs.
    public var ssids: [String]
    /// Whether it also runs on Ethernet.
    public var usesEthernet: Bool
    /// The user's identifier on the server.
    public var user: String
    /// The name that others see.
    public var name: String
    /// The file with the server's secret; nil without protection.
    public var secretFile: String?
    /// The file with the user's own key.
    public var keyFile: String
    /// Whether the provider should run.
    public var isEnabled: Bool

    /// The settings of these values.
    public init(
        host: String, port: Int, ssids: [String], usesEthernet: Bool, user: String, name: String, secretFile: String?,
        keyFile: String, isEnabled: Bool
    ) {
        self.host = host
        self.port = port
        self.ssids = ssids
        self.usesEthernet = usesEthernet
        self.user = user
        self.name = name
        self.secretFile = secretFile
        self.keyFile = keyFile
        self.isEnabled = isEnabled
    }

    /// The server.
    public var address: ServerAddress { ServerAddress(host: host, port: port) }

    /// - Throws: `SecretError`
    public func security() throws(SecretError) -> PushSecurity {
        guard let secretFile else { return .insecure }
        return .sharedSecret(try SharedSecret(fileAt: secretFile))
    }

    /// The user's registration.
    /// - Throws: `SettingsError`
    public func registration(_ channel: PushChannel) throws(SettingsError) -> Registration {
        guard let key = try? String(contentsOfFile: keyFile, encoding: .utf8) else { throw .noKey(keyFile) }
        return Registration(
            channel: channel, user: user, name: name, key: key.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}

// MARK: The provider's part

extension ClientSettings {
    /// The provider's configuration, as a property list.
    public var providerConfiguration: [String: Any] {
        var values: [String: Any] = ["host": host, "port": port, "user": user, "name": name, "keyFile": keyFile]
        values["secretFile"] = secretFile
        return values
    }

    /// The settings from a provider's configuration.
    /// - Throws: `SettingsError.incomplete`
    public init(providerConfiguration values: [String: Any]) throws(SettingsError) {
        guard let host = values["host"] as? String else { throw .incomplete("host") }
        guard let port = values["port"] as? Int else { throw .incomplete("port") }
        guard let user = values["user"] as? String else { throw .incomplete("user") }
        guard let keyFile = values["keyFile"] as? String else { throw .incomplete("keyFile") }
        self.init(
            host: host, port: port, ssids: [], usesEthernet: false, user: user, name: values["name"] as? String ?? user,
            secretFile: values["secretFile"] as? String, keyFile: keyFile, isEnabled: true)
    }
}

/// The paths of the app's settings.
public struct SettingsFile: Sendable {
    /// The folder, `$XDG_CONFIG_HOME/simplepush`.
    public let folder: String
    /// The settings.
    public var path: String { folder + "/settings.json" }
    /// The user's key.
    public var keyPath: String { folder + "/key" }

    /// - Parameter environment: the process's.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        folder = Self.folder("XDG_CONFIG_HOME", ".config", environment)
    }

    /// The provider's file with the messages that it has shown to a user of a server.
    public static func shownPath(
        _ settings: ClientSettings, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String {
        let folder = folder("XDG_STATE_HOME", ".local/state", environment)
        return "\(folder)/shown-\(settings.user)"
    }

    /// The file of the texts between a user and others.
    public static func historyPath(
        _ settings: ClientSettings, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String {
        "\(folder("XDG_STATE_HOME", ".local/state", environment))/texts-\(settings.user)"
    }

    private static func folder(_ variable: String, _ standard: String, _ environment: [String: String]) -> String {
        if let base = environment[variable], base.hasPrefix("/") { return base + "/simplepush" }
        return (environment["HOME"] ?? "/") + "/\(standard)/simplepush"
    }

    /// - Throws: `SettingsError`
    public func load() throws(SettingsError) -> ClientSettings {
        guard let data = FileManager.default.contents(atPath: path) else { throw .missing }
        guard let settings = try? JSONDecoder().decode(ClientSettings.self, from: data) else { throw .unreadable(path) }
        return settings
    }

    /// Writes the settings, and the user's key if there is none.
    /// - Throws: an error of the file system.
    public func save(_ settings: ClientSettings) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if !FileManager.default.fileExists(atPath: keyPath) {
            try write(Data(randomIdentifier(characterCount: 32).utf8), to: keyPath)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try write(try encoder.encode(settings), to: path)
    }

    private func write(_ data: Data, to path: String) throws {
        let new = path + ".new"
        try? FileManager.default.removeItem(atPath: new)
        guard FileManager.default.createFile(atPath: new, contents: data, attributes: [.posixPermissions: 0o600]),
            rename(new, path) == 0
        else { throw SettingsError.unwritable(path) }
    }
}

/// The reason why there are no settings.
public enum SettingsError: Error, Equatable, CustomStringConvertible, LocalizedError {
    /// The user has chosen nothing yet.
    case missing
    /// The file at the path has other content.
    case unreadable(String)
    /// The file at the path cannot be written.
    case unwritable(String)
    /// The file with the user's key is missing.
    case noKey(String)
    /// The provider's configuration has no such value.
    case incomplete(String)

    /// A sentence.
    public var description: String {
        switch self {
        case .missing:
            "There are no settings yet. Run: simplepush settings --host HOST --ssid NETWORK --user NAME --secret-file FILE"
        case .unreadable(let path): "\(path) holds no settings. Remove it and run 'simplepush settings' again."
        case .unwritable(let path): "\(path) cannot be written."
        case .noKey(let path): "The user's key \(path) is not there. Run 'simplepush settings' again."
        case .incomplete(let key): "The provider's configuration has no '\(key)'. Run 'simplepush settings' again."
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }
}
