import Foundation
import Testing

@testable import EarshotMessages

struct SystemSettingsTests {
    private func settings(_ environment: [String: String], files: [String: String] = [:]) -> SystemSettings {
        SystemSettings(environment: environment, programName: "/usr/bin/chat") { files[$0].map { Data($0.utf8) } }
    }

    @Test func withoutSettingsTheDefaultsHold() {
        let settings = settings([:])
        #expect(settings.serviceURL.absoluteString == "http://127.0.0.1:8787")
        #expect(settings.applicationIdentifier == "chat")
        #expect(settings.notes.isEmpty)
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
    func anInvalidFileIsIgnoredWithANote(file: String) {
        let settings = settings(["HOME": "/h"], files: ["/h/.config/earshot/service.json": file])
        #expect(settings.serviceURL.absoluteString == SystemSettings.loopback)
        #expect(settings.notes.count == 1)
    }

    @Test(arguments: ["moo", "file:///etc/passwd", "http://"])
    func anInvalidEnvironmentIsIgnoredWithANote(text: String) {
        let settings = settings(["EARSHOT_SERVICE": text])
        #expect(settings.serviceURL.absoluteString == SystemSettings.loopback && settings.notes.count == 1)
    }
}
