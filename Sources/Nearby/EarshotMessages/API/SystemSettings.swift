import Foundation
import Glibc
import NearbyWire

/// The service, the sound devices, the Bluetooth adapter and the application that the environment and the user's configuration
/// files name.
struct SystemSettings: Sendable {
    /// The default service.
    static let loopback = "http://127.0.0.1:8787"

    var serviceURL: URL
    /// Why the service that the user chose cannot be used, and what to do; nil if it can. No other service replaces it,
    /// because the key belongs to that one.
    var serviceRefusal: String?
    var applicationIdentifier: String
    var devices = MediaDevices()
    /// Why chosen sound devices were ignored; nil if none were.
    var soundWarning: String?
    /// The reason why a chosen adapter was ignored; nil if it was not.
    var adapterWarning: String?

    private struct ServiceFile: Decodable {
        let url: String
    }

    private struct BluetoothFile: Decodable {
        let adapter: String
    }

    private struct SoundFile: Decodable {
        var device: String?
        var playback: String?

        /// ALSA takes names as C strings.
        var isValid: Bool {
            [device, playback].compactMap(\.self).allSatisfy { !$0.isEmpty && !$0.utf8.contains(0) }
        }
    }

    /// - Parameter read: returns a file's content; nil if there is no such file.
    init(
        environment: [String: String], programName: String = CommandLine.arguments.first ?? "",
        read: (String) -> Data? = SystemSettings.content
    ) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        applicationIdentifier = ApplicationIdentifier.of(environment, programName: programName)
        guard let fallback = URL(string: Self.loopback) else { preconditionFailure("a URL") }
        serviceURL = fallback
        // XDG: a relative path is ignored.
        let base =
            value("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? value("HOME").map { "\($0)/.config" }
        let folder = base.map { "\($0)/earshot" }
        if let text = value("EARSHOT_SERVICE") {
            choose(Self.serviceURL(text), named: "EARSHOT_SERVICE")
        } else if let path = folder.map({ "\($0)/service.json" }), let content = read(path) {
            let file = try? JSONDecoder().decode(ServiceFile.self, from: content)
            choose(
                file.flatMap { Self.serviceURL($0.url) }, named: file == nil ? path : "\"url\" in \(path)",
                hasForm: file != nil)
        }
        var file = SoundFile()
        if let path = folder.map({ "\($0)/sound.json" }), let content = read(path) {
            if let found = try? JSONDecoder().decode(SoundFile.self, from: content), found.isValid {
                file = found
            } else {
                soundWarning =
                    "\(path) is ignored: it cannot be read, or is not of the form {\"device\":\"hw:1\",\"playback\":\"hw:0\"}. "
                    + "'earshot devices' lists the names."
            }
        }
        devices.microphone = value("EARSHOT_DEVICE") ?? file.device ?? devices.microphone
        devices.loudspeaker = value("EARSHOT_PLAYBACK") ?? file.playback ?? devices.loudspeaker
        if let name = value("EARSHOT_ADAPTER") {
            devices.adapter = name
        } else if let path = folder.map({ "\($0)/bluetooth.json" }), let content = read(path) {
            devices.adapter = (try? JSONDecoder().decode(BluetoothFile.self, from: content))?.adapter
            if devices.adapter?.isEmpty != false {
                devices.adapter = nil
                adapterWarning = "\(path) is ignored: it cannot be read, or is not of the form {\"adapter\":\"hci1\"}."
            }
        }
    }

    /// - Parameter name: where the address was found. The text does not quote the address, which may contain a
    ///   password.
    private mutating func choose(_ url: URL?, named name: String, hasForm: Bool = true) {
        if let url {
            serviceURL = url
        } else {
            serviceRefusal =
                "\(name) \(hasForm ? "is not an http or https address" : "cannot be read, or is not of the form {\"url\":\"https://…\"}"). The program uses no service until it is; set it to one "
                + "such as \(Self.loopback)."
        }
    }

    /// A file's content; empty if there is a file but it cannot be read, nil if there is none.
    static func content(_ path: String) -> Data? {
        if let content = FileManager.default.contents(atPath: path) { return content }
        var status = stat()
        return lstat(path, &status) == 0 ? Data() : nil
    }

    private static func serviceURL(_ text: String) -> URL? {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            url.host?.isEmpty == false, (1...65_535).contains(url.port ?? 80)
        else { return nil }
        return url
    }
}
