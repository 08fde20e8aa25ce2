import EarshotDiscovery
import Testing

@testable import EarshotMessages

struct ConsentQuestionTests {
    @Test(arguments: [
        (DiscoveryMode.broadcast, "it plays short sounds that people hardly hear."),
        (.scan, "it listens with the microphone."),
    ])
    func `the question names only the directions of the operation`(mode: DiscoveryMode, wording: String) {
        let purpose = ConsentPurpose(applicationIdentifier: "app", mode: mode)
        let question = ConsentQuestion(purpose, manifest: PermissionManifest(), path: "/x")
        #expect(question.text.hasSuffix(wording))
    }

    @Test func `the question names Bluetooth if the operation or the program uses it`() {
        let purpose = ConsentPurpose(applicationIdentifier: "app", mode: .both)
        let question = ConsentQuestion(
            purpose, media: [.audio, .bluetooth], manifest: PermissionManifest(), path: "/x")
        #expect(
            question.text.hasSuffix(
                "it plays short sounds that people hardly hear, listens with the microphone, sends short Bluetooth frames, "
                    + "and receives Bluetooth frames of other devices."))
        let sound = ConsentPurpose(applicationIdentifier: "app", mode: .both, media: [.audio])
        #expect(
            !ConsentQuestion(sound, media: [.audio, .bluetooth], manifest: PermissionManifest(), path: "/x").text
                .contains("Bluetooth"))
    }

    @Test(arguments: [
        (DiscoveryMode.both, [DiscoveryMediumKind.audio, .bluetooth], ["hear", "send"]),
        (.scan, [.audio, .bluetooth], ["hear"]), (.both, [.bluetooth], ["send"]), (.scan, [.bluetooth], []),
    ])
    func `each reason stands where its device is used`(
        mode: DiscoveryMode, media: [DiscoveryMediumKind], reasons: [String]
    ) {
        let manifest = PermissionManifest(
            microphoneUsageDescription: "hear", bluetoothUsageDescription: "send", locationUsageDescription: "show")
        let purpose = ConsentPurpose(
            applicationIdentifier: "app", mode: mode, media: Set(media), needsLocation: true)
        let lines = ConsentQuestion(purpose, manifest: manifest, path: "/x").text.split(separator: "\n").dropFirst()
        #expect(lines.map(String.init) == reasons.map { "Its reason: \($0)" })
        let location = ConsentQuestion(location: purpose, manifest: manifest, path: "/x")
        #expect(location.text.hasSuffix("\nIts reason: show"))
        #expect(location.explanation.contains("/x"))
    }
}
