import EarshotNotifications
import Foundation
import Synchronization

/// A provider's state of a call.
struct CallRecord: Sendable {
    enum Phase: Sendable {
        case ringing
        /// The user has chosen, and the delegate carries it out.
        case answering
        case connected
        /// The other side has not answered yet.
        case outgoing
    }

    var texts: CallTexts
    var phase: Phase
    var isOutgoing = false
}

/// The texts of a call for the user.
struct CallTexts: Sendable {
    static let answer = "answer"
    static let decline = "decline"

    /// The caller.
    var title: String
    var hasVideo: Bool
    var appName: String

    init(_ update: CXCallUpdate, appName: String) {
        let names = [update.localizedCallerName, update.remoteHandle?.value].compactMap { $0 }
        title = names.first { !$0.isEmpty } ?? "An unknown caller"
        hasVideo = update.hasVideo
        self.appName = appName
    }

    /// The notification of a ringing call.
    func content(_ sound: NotificationSound) -> NotificationContent {
        NotificationContent(
            title: title, body: "\(hasVideo ? "Incoming video call" : "Incoming call") · \(appName)", sound: sound,
            actions: [
                NotificationAction(identifier: Self.answer, title: "Answer"),
                NotificationAction(identifier: Self.decline, title: "Decline"),
            ], defaultActionTitle: "Answer", urgency: .critical, duration: .unlimited)
    }
}

/// A value behind a lock. The classes of the original interface are not declared safe to send.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = Mutex(())
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { _ in try body(&value) }
    }
}

/// A value that threads use one after another, never two at once.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
