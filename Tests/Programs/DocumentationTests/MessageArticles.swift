import EarshotMessages
import EarshotPrompts
import EarshotSound
import Foundation
import NearbyMessages

/// Compiled, not run: this code opens devices and needs a service.
enum MessageCode {
    static func publishAndSubscribe(_ key: String) async throws {
        let manager = MessageManager(
            key: key,
            configuration: .system(media: { [SoundMedium(microphone: $0.microphone, loudspeaker: $0.loudspeaker)] }))
        let publication = try manager.publish(Message(content: Data("hello".utf8), type: "greeting"))
        let subscription = try manager.subscribe(type: "greeting")
        for await event in subscription {
            switch event {
            case .found(let received): print("found", received.message.content, received.isAuthenticated)
            case .lost(let received): print("lost", received.id)
            }
        }
        await manager.stop()
        _ = publication
    }

    static func follow(_ manager: MessageManager, _ publication: Publication) async {
        for await status in publication.statuses { print(status) }

        for await problem in manager.problems { print(problem) }
    }

    static func withoutService(_ manager: MessageManager) throws {
        let table = try manager.publishDirectly(Data("table 12 is free".utf8))
        let tables = try manager.subscribeDirectly()
        _ = (table, tables)
    }

    static func ask(_ manager: MessageManager, _ showDialog: @escaping @Sendable (ConsentPurpose) async -> Bool) throws
    {
        let asked = try manager.subscribe(consent: { purpose in await showDialog(purpose) ? .granted : .denied })
        _ = asked
    }

    static func hasAsked(_ key: String) {
        var configuration = MessageManager.Configuration.system(media: { _ in [SoundMedium()] })
        configuration.permission = AlwaysGranted()
        let silent = MessageManager(key: key, configuration: configuration)
        _ = silent
    }

    static func askOnDesktop(_ key: String) {
        let prompted = MessageManager(
            key: key, configuration: .system(media: { _ in [SoundMedium()] }, prompt: SystemPrompt()))
        _ = prompted
    }

    @MainActor static func originalSpelling() {
        let messageManager = GNSMessageManager(apiKey: "API_KEY")
        let publication = messageManager.publication(with: GNSMessage(content: Data("hello".utf8)))
        let subscription = messageManager.subscription(
            messageFoundHandler: { message in print("found", message?.content ?? Data()) },
            messageLostHandler: { message in print("lost", message?.content ?? Data()) })
        _ = (publication, subscription)
    }
}
