import Foundation
public import SimplePushKit

/// An announcement of a provider to its user.
public enum Announcement: Sendable, Equatable {
    /// A text to show.
    case text(DeliveredText)
    /// A call that rings.
    case call(Invitation)
    /// A call that rang while the user was away.
    case missedCall(Invitation)
    /// A call that rang here and was not answered here. It is announced once, and not repeated after a failure.
    case endedCall(CallState)
}

/// The provider's part of SimplePush: keeps the notification channel open, and announces each message to the user once.
///
/// A message is announced, then written to the list of shown messages, then acknowledged. A process that is killed
/// between the first two announces it again; the announcement has the same identifier, so it replaces the first.
public actor MessageReceiver {
    private let shown: ShownMessages
    private let announce: @Sendable (Announcement) async -> Bool
    private let log: @Sendable (String) -> Void
    private let retrySeconds: Double
    private var link: PushLink?
    private var latestFailure = ""

    /// - Parameters:
    ///   - shown: the announced messages.
    ///   - retrySeconds: the pause after an announcement that failed.
    ///   - announce: announces a message to the user. It returns false if that failed; then the message is announced
    ///     again.
    ///   - log: logs a sentence.
    public init(
        shown: sending ShownMessages, retrySeconds: Double = 5,
        announce: @escaping @Sendable (Announcement) async -> Bool,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.shown = shown
        self.retrySeconds = retrySeconds
        self.announce = announce
        self.log = log
    }

    /// Keeps the channel open until the task is cancelled.
    /// - Parameters:
    ///   - open: opens a link; it throws `LinkFailure`.
    ///   - firstOutcome: called once: with nil for a link, or with the reason why the first attempt failed.
    public func run(
        pauses: ReconnectPauses = ReconnectPauses(), open: @Sendable () async throws -> PushLink,
        firstOutcome: @escaping @Sendable (LinkFailure?) -> Void = { _ in }
    ) async {
        let first = FirstOutcome(firstOutcome)
        await keepLink(pauses: pauses, open: open) { event in
            switch event {
            case .open: first.tell(nil)
            case .failed(let failure, _): first.tell(failure)
            case .frame: break
            }
            await self.take(event)
        }
        link?.close()
    }

    /// Gives up a link whose server has been silent for too long.
    public func check() { link?.check() }

    private func take(_ event: LinkEvent) async {
        switch event {
        case .open(let link):
            self.link = link
            latestFailure = ""
            log("connected")
        case .failed(let failure, _):
            link = nil
            // A server that is unreachable for an hour causes one line.
            if failure.description != latestFailure { log(failure.description) }
            latestFailure = failure.description
        case .frame(let frame, let link): await take(frame, link)
        }
    }

    private func take(_ frame: ServerFrame, _ link: PushLink) async {
        switch frame {
        case .text(let text):
            await tell(.text(text), sender: text.from, id: text.id, sequence: text.sequence, link)
        case .invitation(let invitation):
            await tell(
                invitation.isMissed ? .missedCall(invitation) : .call(invitation), sender: invitation.from,
                // A text may have the same identifier.
                id: "call/\(invitation.id)", sequence: invitation.sequence, link)
        case .call(let state) where state.phase == .ended: _ = await announce(.endedCall(state))
        default: break
        }
    }

    private func tell(_ announcement: Announcement, sender: String, id: String, sequence: Int64, _ link: PushLink) async
    {
        if !shown.contains(sender: sender, id: id) {
            while !(await announce(announcement)) {
                try? await Task.sleep(for: .seconds(retrySeconds))
                // The server keeps what was not acknowledged.
                if Task.isCancelled { return }
            }
            do {
                try shown.record(sender: sender, id: id)
            } catch {
                // Without the record the message would be shown at every connection, so it is acknowledged
                // nevertheless.
                log("\(error)")
            }
        }
        try? await link.send(.acknowledge(Acknowledgement(through: sequence)))
    }
}

/// Reports an outcome once.
private final class FirstOutcome: Sendable {
    private let tellOnce: @Sendable (LinkFailure?) -> Void
    private let isTold = Told()

    init(_ tell: @escaping @Sendable (LinkFailure?) -> Void) { tellOnce = tell }

    func tell(_ failure: LinkFailure?) { if isTold.begin() { tellOnce(failure) } }
}
