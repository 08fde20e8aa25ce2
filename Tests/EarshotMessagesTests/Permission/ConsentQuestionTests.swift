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
}
