import Foundation
import NIOPosix
import NetworkExtension
import SimplePushClient
import SimplePushKit

/// Keeps the link to the server open while the device is on the network that the app named.
///
/// earshot-agent starts and stops it. Texts become notifications, invitations become calls of the app.
@main final class SimplePushProvider: NEAppPushProvider {
    private var receiver: MessageReceiver?
    private var receiving: Task<Void, Never>?
    private var history: TextHistory?

    override func start(completionHandler: @escaping ((any Error)?) -> Void) {
        let answer = Unchecked(completionHandler)
        do {
            let settings = try ClientSettings(providerConfiguration: providerConfiguration ?? [:])
            let security = try settings.security()
            let registration = try settings.registration(.notification)
            let provider = Unchecked(self)
            history = TextHistory(path: SettingsFile.historyPath(settings))
            let receiver = MessageReceiver(
                shown: try ShownMessages(path: SettingsFile.shownPath(settings)),
                announce: { provider.value.announce($0) }, log: { note($0) })
            self.receiver = receiver
            receiving = Task {
                await receiver.run {
                    try await PushLink.open(
                        to: settings.address, as: registration, security: security,
                        on: MultiThreadedEventLoopGroup.singleton)
                } firstOutcome: { failure in
                    // This process waits for an unreachable server. With a wrong secret waiting would not help.
                    answer.value(failure.flatMap { $0.needsHelp ? ProviderFailure(description: $0.description) : nil })
                }
            }
        } catch {
            answer.value(ProviderFailure(description: "\(error)"))
        }
    }

    override func stop(with reason: NEProviderStopReason, completionHandler: @escaping () -> Void) {
        note("stops: \(reason)")
        receiving?.cancel()
        guard let receiving else { return completionHandler() }
        let done = Unchecked(completionHandler)
        Task {
            // A message that is being announced is acknowledged before the link closes.
            await receiving.value
            done.value()
        }
    }

    override func handleTimerEvent() {
        guard let receiver else { return }
        Task { await receiver.check() }
    }

    /// - Returns: whether the agent has it on its disk.
    private func announce(_ announcement: Announcement) -> Bool {
        switch announcement {
        case .text(let text):
            // The text is stored before its notification is shown: a tap opens what is stored.
            do {
                try history?.append(
                    TextHistory.Entry(
                        id: text.id, peer: text.from, peerName: text.fromName, text: text.text, sentAt: text.sentAt,
                        isOutgoing: false))
            } catch {
                note("\(error)")
            }
            return showNotification(
                identifier: NotificationName.text(id: text.id, peer: text.from).identifier, title: text.fromName,
                body: text.text)
        case .missedCall(let invitation):
            return showNotification(
                identifier: NotificationName.missedCall(id: invitation.id, peer: invitation.from).identifier,
                title: "Missed call", body: invitation.fromName)
        case .call(let invitation):
            reportIncomingCall(userInfo: [
                "id": invitation.id, "from": invitation.from, "fromName": invitation.fromName,
            ])
            return true
        case .endedCall(let state):
            // The app, which may not run yet, learns the same from the server.
            guard state.end == .unanswered || state.end == .hungUp || state.end == .lost else { return true }
            note("the call of \(state.peer) is over")
            return true
        }
    }
}

/// `earshot push status` shows the sentence.
private struct ProviderFailure: LocalizedError, CustomStringConvertible {
    let description: String
    var errorDescription: String? { description }
}

/// The state that the agent's calls and this program's tasks share. Unchecked, because the values have their own locks.
private struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

private func note(_ sentence: String) {
    FileHandle.standardError.write(Data("simplepush-provider: \(sentence)\n".utf8))
}
