import Foundation
import SimplePushClient
import SimplePushKit
import Testing

@Suite struct ClientSettingsTests {
    private let settings = ClientSettings(
        host: "10.0.0.2", port: 4_460, ssids: ["Ship"], usesEthernet: false, user: "ann", name: "Ann",
        secretFile: "/secret", keyFile: "/key", isEnabled: true)

    @Test func theProviderGetsWhatItNeeds() throws {
        let values = settings.providerConfiguration
        #expect(values["host"] as? String == "10.0.0.2" && values["user"] as? String == "ann")
        let received = try ClientSettings(providerConfiguration: values)
        #expect(received.address == settings.address && received.user == "ann" && received.name == "Ann")
        #expect(received.secretFile == "/secret" && received.keyFile == "/key")
        for key in ["host", "port", "user", "keyFile"] {
            var incomplete = values
            incomplete[key] = nil
            #expect(throws: SettingsError.incomplete(key)) { try ClientSettings(providerConfiguration: incomplete) }
        }
        var insecure = values
        insecure["secretFile"] = nil
        #expect(try ClientSettings(providerConfiguration: insecure).security() == .insecure)
    }

    @Test func settingsAndKeyArePrivateFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("settings-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = SettingsFile(environment: ["XDG_CONFIG_HOME": folder])
        #expect(throws: SettingsError.missing) { try file.load() }
        var changed = settings
        changed.keyFile = file.keyPath
        try file.save(changed)
        #expect(try file.load() == changed)
        let key = try changed.registration(.control).key
        #expect(key.utf8.count == 32)
        try file.save(changed)
        #expect(try changed.registration(.control).key == key, "The server knows the user by this key.")
        for path in [file.path, file.keyPath] {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
    }
}
