import EarshotMessages
import Foundation
import NearbyMessages
import TestSupport
import Testing

/// The snippets in the language mode of the apps that they were written for. NearbyMessagesTests tests their behaviour. Here
/// they run without consent, so nothing is played, recorded or sent.
@MainActor @Suite(.apart) struct Swift5Tests {
    private let environment: GNSEnvironment = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "earshot-\(UUID().uuidString)")
        let consent = Consent(applicationIdentifier: "app", configurationFolder: folder.path)
        let configuration = MessageManager.Configuration.system(media: { _ in fatalError("there is no consent") })
        return GNSEnvironment(configuration: configuration, consent: consent, log: { _ in })
    }()

    @Test func `the snippets run in Swift 5, too`() async throws {
        let message: GNSMessage = GNSMessage(content: "Ann".data(using: .utf8))
        let kept: [Any?] = GNSEnvironment.$current.withValue(environment) {
            let messageManager: GNSMessageManager = Snippets.createManager()
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

    /// AppUses.swift compiles in this mode. NearbyMessagesTests tests its behaviour.
    @Test func `the lines of apps run in Swift 5, too`() throws {
        let uses = MessageUses()
        let message = try #require(uses.make("Ann", data: nil))
        uses.read(message)
        uses.readInferred(Data("Bob".utf8))
        #expect(uses.compare(message, GNSMessage(content: Data("Ann".utf8))))
        #expect(uses.shown.contains("Ann") && uses.shown.contains("Bob"))
        let strategy = OperationUses().chooseStrategy(modes: ["scan"], mediums: 3, mode: 2)
        #expect(strategy.discoveryMode == .scan)
        GNSEnvironment.$current.withValue(environment) {
            let uses = ManagerUses()
            uses.call(message)
            #expect(uses.make() != nil)
            OperationUses().publish(uses.declared, message)
            PermissionUses().follow()
        }
    }
}
