import EarshotDiscovery
import Testing

@testable import EarshotMessages

struct ConsentQuestionTests {
    @Test(arguments: [
        (DiscoveryMode.broadcast, "it plays short sounds that people hardly hear."),
        (.scan, "it listens with the microphone."),
    ])
    func `only what is needed is asked for`(mode: DiscoveryMode, wording: String) {
        let purpose = ConsentPurpose(applicationIdentifier: "app", mode: mode)
        let question = ConsentQuestion(purpose, manifest: PermissionManifest(), path: "/x")
        #expect(question.text.hasSuffix(wording))
    }
}
