import EarshotMessages
import Foundation
import NearbyMessages
import Testing

/// The snippets in the language mode of the apps that they were written for. NearbyMessagesTests tests their behaviour. Here
/// they run without consent, so nothing is played, recorded or sent.
@MainActor @Suite struct Swift5Tests {
    private let environment: GNSEnvironment = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "earshot-\(UUID().uuidString)")
        let consent = Consent(applicationIdentifier: "app", configurationFolder: folder.path)
        var configuration = MessageManager.Configuration.system()
        configuration.media = { fatalError("there is no consent") }
        return GNSEnvironment(configuration: configuration, consent: consent, log: { _ in })
    }()

    @Test func `the snippets run in Swift 5, too`() async throws {
        let message = GNSMessage(content: "Ann".data(using: .utf8))
        let kept: [Any?] = GNSEnvironment.$current.withValue(environment) {
            let messageManager = Snippets.createManager()
            return [
                messageManager, Snippets.publish(messageManager, name: "Ann"), Snippets.subscribe(messageManager),
                Snippets.publishByScanning(messageManager, message: message), Snippets.trackPermission(),
                Snippets.trackSettings(API_KEY: "key"), Snippets.askByOwnDialog(messageManager, name: "Ann"),
            ]
        }
        #expect(kept.allSatisfy { $0 != nil })
        try await Task.sleep(nanoseconds: 200_000_000)
        #expect(GNSEnvironment.$current.withValue(environment) { GNSPermission.isGranted() } == false)
    }
}
