import EarshotDiscovery
import Foundation
import MessagesTestSupport
import TestSupport
import Testing

@testable import EarshotMessages

@Suite(.apart) struct SystemSettingsTests {
    private func settings(_ environment: [String: String], files: [String: String] = [:]) -> SystemSettings {
        SystemSettings(environment: environment, programName: "/usr/bin/chat") { files[$0].map { Data($0.utf8) } }
    }

    @Test func withoutSettingsTheDefaultsHold() {
        let settings = settings([:])
        #expect(settings.serviceURL.absoluteString == "http://127.0.0.1:8787")
        #expect(settings.applicationIdentifier == "chat")
        #expect(settings.serviceRefusal == nil && settings.soundWarning == nil)
        #expect(settings.devices.microphone == "default" && settings.devices.loudspeaker == "default")
    }

    @Test func theEnvironmentComesFirst() {
        let settings = settings(
            ["EARSHOT_SERVICE": "https://one.example/x", "EARSHOT_APP_ID": "org.example.chat", "HOME": "/h"],
            files: ["/h/.config/earshot/service.json": "{\"url\":\"https://two.example\"}"])
        #expect(settings.serviceURL.absoluteString == "https://one.example/x")
        #expect(settings.applicationIdentifier == "org.example.chat")
    }

    @Test func theFileComesSecond() {
        let file = "{\"url\":\"https://two.example\",\"more\":1}"
        #expect(
            settings(["HOME": "/h"], files: ["/h/.config/earshot/service.json": file]).serviceURL.host == "two.example")
        #expect(
            settings(["HOME": "/h", "XDG_CONFIG_HOME": "/x"], files: ["/x/earshot/service.json": file]).serviceURL.host
                == "two.example")
        #expect(
            settings(["HOME": "/h", "XDG_CONFIG_HOME": "x"], files: ["/h/.config/earshot/service.json": file])
                .serviceURL.host == "two.example", "a relative folder does not count")
    }

    @Test(arguments: ["", "{}", "moo", "{\"url\":\"ftp://x\"}", "{\"url\":\"http:///\"}", "{\"url\":1}", "\u{0}"])
    func anInvalidFileIsRefused(file: String) {
        let settings = settings(["HOME": "/h"], files: ["/h/.config/earshot/service.json": file])
        let reason =
            file.contains("\"url\":\"")
            ? "\"url\" in /h/.config/earshot/service.json is not an http"
            : "/h/.config/earshot/service.json cannot be read, or is not of the form"
        #expect(settings.serviceRefusal?.contains(reason) == true)
        #expect(
            self.settings(
                ["HOME": "/h", "EARSHOT_SERVICE": "http://one.example"],
                files: ["/h/.config/earshot/service.json": file]
            ).serviceRefusal == nil, "the environment comes first")
    }

    /// A file that is there names the service, also if it cannot be read: the key must not go to another one.
    @Test func onlyAMissingFileIsMissing() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let place = { (name: String) in folder.appendingPathComponent(name).path }
        try Data("{}".utf8).write(to: URL(fileURLWithPath: place("file")))
        try FileManager.default.createSymbolicLink(atPath: place("link"), withDestinationPath: place("nowhere"))
        #expect(SystemSettings.content(place("file")) == Data("{}".utf8))
        #expect(SystemSettings.content(place("none")) == nil)
        for unreadable in [folder.path, place("link")] { #expect(SystemSettings.content(unreadable) == Data()) }
    }

    @Test(arguments: ["moo", "file:///etc/passwd", "http://", "localhost:8787", "https://ann:secret@/"])
    func anInvalidEnvironmentIsRefused(text: String) {
        let settings = settings(
            ["EARSHOT_SERVICE": text, "HOME": "/h"],
            files: ["/h/.config/earshot/service.json": "{\"url\":\"https://two.example\"}"])
        let refusal = settings.serviceRefusal ?? ""
        #expect(refusal.contains("EARSHOT_SERVICE") && refusal.contains(SystemSettings.loopback))
        #expect(!refusal.contains("secret"), "an address may hold a password")
    }

    @Test func theSoundDevicesAreFromTheEnvironmentOrAFile() {
        let files = ["/h/.config/earshot/sound.json": "{\"device\":\"hw:1\",\"playback\":\"hw:2\"}"]
        let fromFile = settings(["HOME": "/h"], files: files)
        #expect(fromFile.devices.microphone == "hw:1" && fromFile.devices.loudspeaker == "hw:2")
        let both = settings(["HOME": "/h", "EARSHOT_DEVICE": "mic"], files: files)
        #expect(both.devices.microphone == "mic" && both.devices.loudspeaker == "hw:2")
        let fromEnvironment = settings(["EARSHOT_DEVICE": "mic", "EARSHOT_PLAYBACK": "box"])
        #expect(fromEnvironment.devices.microphone == "mic" && fromEnvironment.devices.loudspeaker == "box")
        let one = settings(["HOME": "/h"], files: ["/h/.config/earshot/sound.json": "{\"playback\":\"box\"}"])
        #expect(one.devices.microphone == "default" && one.devices.loudspeaker == "box")
    }

    @Test(arguments: ["", "moo", "[]", "{\"device\":1}", "{\"device\":\"\"}", "{\"playback\":\"a\\u0000b\"}"])
    func anInvalidSoundFileIsIgnoredWithAWarning(file: String) {
        let settings = settings(["HOME": "/h"], files: ["/h/.config/earshot/sound.json": file])
        #expect(settings.soundWarning?.contains("/h/.config/earshot/sound.json") == true)
        #expect(settings.devices.microphone == "default" && settings.devices.loudspeaker == "default")
    }

    @Test func theAdapterIsFromTheEnvironmentOrAFile() {
        let files = ["/h/.config/earshot/bluetooth.json": "{\"adapter\":\"hci1\"}"]
        #expect(settings(["HOME": "/h"]).devices.adapter == nil)
        #expect(settings(["HOME": "/h"], files: files).devices.adapter == "hci1")
        let both = settings(["HOME": "/h", "EARSHOT_ADAPTER": "hci2"], files: files)
        #expect(both.devices.adapter == "hci2" && both.adapterWarning == nil)
        #expect(
            MessageManager.Configuration(both, media: { _ in [] }, permission: AlwaysGranted()).devices.adapter
                == "hci2")
    }

    @Test(arguments: ["", "moo", "[]", "{}", "{\"adapter\":1}", "{\"adapter\":\"\"}"])
    func anInvalidBluetoothFileIsIgnoredWithAWarning(file: String) {
        let settings = settings(["HOME": "/h"], files: ["/h/.config/earshot/bluetooth.json": file])
        #expect(settings.adapterWarning?.contains("/h/.config/earshot/bluetooth.json") == true)
        #expect(settings.devices.adapter == nil)
    }

    @Test func aRefusedServiceIsReplacedByNone() async throws {
        let warnings = Lines()
        let settings = settings(["EARSHOT_SERVICE": "moo"])
        let configuration = MessageManager.Configuration(
            settings, media: { _ in [Air().medium()] }, permission: AlwaysGranted(), warn: { warnings.add($0) })
        let manager = MessageManager(key: "key", configuration: configuration)
        let publication = try manager.publish(Message("hello"))
        let problems = Collected(manager.problems)
        #expect(await eventually { problems.current == [.serviceInvalid] })
        #expect(problems.all.first?.detail == settings.serviceRefusal)
        #expect(warnings.all == [settings.serviceRefusal])
        #expect(publication.status == .starting)
        // The sound itself needs no service.
        let direct = try manager.publishDirectly(Data("hello".utf8))
        #expect(await eventually { direct.status == .active })
    }

    @Test func anotherAddressEndsTheRefusal() throws {
        var configuration = MessageManager.Configuration(
            settings(["EARSHOT_SERVICE": "moo"]), media: { _ in [] }, permission: AlwaysGranted())
        #expect(configuration.serviceRefusal != nil)
        configuration.serviceURL = try #require(URL(string: "http://one.example"))
        #expect(configuration.serviceRefusal == nil)
    }
}
