import ArgumentParser
import Foundation
import NetworkExtension
import SimplePushClient
import SimplePushKit

/// Names the provider's manifest.
let providerIdentifier = "simplepush-provider"

struct Settings: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or change your name and your networks.",
        discussion: """
            Without options it shows the settings, and whether the provider is active. Options that are left out keep their value.

                simplepush settings --host 10.0.0.2 --ssid "My Cruise Ship Wi-Fi" --user ann --secret-file ~/secret
            """)

    @Option(help: ArgumentHelp("The server.", valueName: "name or address")) var host: String?
    @Option(help: ArgumentHelp("The server's port.", valueName: "port")) var port: Int?
    @Option(help: ArgumentHelp("A Wi-Fi network; repeat it for more, up to 10.", valueName: "network")) var ssid:
        [String] = []
    @Flag(inversion: .prefixedNo, help: "Whether the provider also runs on Ethernet.") var ethernet: Bool?
    @Option(help: ArgumentHelp("Your name on the server: letters, digits, dots, dashes.", valueName: "name")) var user:
        String?
    @Option(help: ArgumentHelp("The name that others see.", valueName: "name")) var name: String?
    @Option(help: ArgumentHelp("The server's secret file.", valueName: "file")) var secretFile: String?
    @Flag(help: "The server runs with --insecure: anyone on the network can read and forge everything.") var insecure =
        false
    @Flag(inversion: .prefixedEnableDisable, help: "Whether the provider runs at all.") var provider: Bool?
    @Flag(help: "Remove the settings.") var remove = false
    @OptionGroup var output: OutputOptions

    private var changesNothing: Bool {
        host == nil && port == nil && ssid.isEmpty && ethernet == nil && user == nil && name == nil && secretFile == nil
            && !insecure && provider == nil
    }

    func validate() throws {
        guard !insecure || secretFile == nil else {
            throw ValidationError("--insecure and --secret-file exclude each other.")
        }
        if let port, !(1...65_535).contains(port) { throw ValidationError("A port is 1 to 65535.") }
        if let user, !FrameLimits.isIdentifier(user) {
            throw ValidationError("A user has 1 to 64 letters, digits, dots, dashes and underlines.")
        }
        if remove, !changesNothing { throw ValidationError("--remove excludes all other options.") }
    }

    func perform() async throws {
        let file = SettingsFile()
        if remove {
            for manager in try await NEAppPushManager.loadAllFromPreferences() {
                try await manager.removeFromPreferences()
            }
            try? FileManager.default.removeItem(atPath: file.path)
            return Console(usesJSON: output.json).say(Event(event: "removed"), "Removed.")
        }
        if changesNothing { return try await show(try file.load()) }
        let settings = try changed(file)
        _ = try settings.security()
        try file.save(settings)
        try settings.registration(.control).check()
        try await save(settings)
        if settings.secretFile == nil, !output.json {
            print("warning: without a secret everybody on the network can read and forge your texts and calls.")
        }
        try await show(settings)
    }

    private func changed(_ file: SettingsFile) throws -> ClientSettings {
        let old = FileManager.default.fileExists(atPath: file.path) ? try file.load() : nil
        guard let host = host ?? old?.host, let user = user ?? old?.user else {
            throw ValidationError("The first time, --host and --user are required.")
        }
        let secret = insecure ? nil : secretFile.map { Self.absolute($0) } ?? old?.secretFile
        guard secret != nil || insecure || old != nil else {
            throw ValidationError("Name the server's secret file with --secret-file, or say --insecure.")
        }
        let ssids = ssid.isEmpty ? old?.ssids ?? [] : ssid
        let usesEthernet = ethernet ?? old?.usesEthernet ?? false
        guard !ssids.isEmpty || usesEthernet else {
            throw ValidationError("Name the network with --ssid, or say --ethernet.")
        }
        return ClientSettings(
            host: host, port: port ?? old?.port ?? WireFormat.defaultPort, ssids: ssids, usesEthernet: usesEthernet,
            user: user, name: name ?? (self.user == nil ? old?.name : nil) ?? user, secretFile: secret,
            keyFile: file.keyPath, isEnabled: provider ?? old?.isEnabled ?? true)
    }

    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: (path as NSString).expandingTildeInPath).path
    }

    /// Saves the one configuration of this app.
    private func save(_ settings: ClientSettings) async throws {
        let saved = try await NEAppPushManager.loadAllFromPreferences()
        for surplus in saved.dropFirst() { try await surplus.removeFromPreferences() }
        let manager = saved.first ?? NEAppPushManager()
        manager.localizedDescription = "SimplePush"
        manager.matchSSIDs = settings.ssids
        manager.matchEthernet = settings.usesEthernet
        manager.providerBundleIdentifier = providerIdentifier
        manager.providerConfiguration = settings.providerConfiguration
        manager.isEnabled = settings.isEnabled
        try await manager.saveToPreferences()
    }

    private func show(_ settings: ClientSettings) async throws {
        let manager = try await NEAppPushManager.loadAllFromPreferences().first
        struct Shown: Encodable {
            var host: String
            var port: Int
            var ssids: [String]
            var ethernet: Bool
            var user: String
            var name: String
            var secretFile: String?
            var isEnabled: Bool
            var isActive: Bool
        }
        let shown = Shown(
            host: settings.host, port: settings.port, ssids: settings.ssids, ethernet: settings.usesEthernet,
            user: settings.user, name: settings.name, secretFile: settings.secretFile,
            isEnabled: manager?.isEnabled ?? false, isActive: manager?.isActive ?? false)
        if output.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return print(String(decoding: try encoder.encode(shown), as: UTF8.self))
        }
        let networks = shown.ssids + (shown.ethernet ? ["Ethernet"] : [])
        print("server    \(settings.address)\(settings.secretFile == nil ? ", insecure" : "")")
        print("networks  \(networks.joined(separator: ", "))")
        print("user      \(shown.user) (\(shown.name))")
        print("secret    \(shown.secretFile ?? "none")")
        print("enabled   \(shown.isEnabled ? "yes" : "no")")
        print("active    \(shown.isActive ? "yes" : "no")")
    }
}
