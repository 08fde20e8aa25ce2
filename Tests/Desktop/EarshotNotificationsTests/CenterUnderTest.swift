import EarshotDBus
import MessagesTestSupport

@testable import EarshotNotifications

/// A center whose lines a test can read.
struct CenterUnderTest {
    let center: UserNotificationCenter
    let standardError = Lines()
    let journal = Lines()

    init(_ bus: DBusBus, _ change: (inout NotificationLimits) -> Void = { _ in }) {
        var limits = NotificationLimits()
        // A busy machine must not make a service look slow.
        limits.answerTime = .seconds(30)
        limits.pauseAfterFailure = .milliseconds(50)
        change(&limits)
        let (standardError, journal) = (standardError, journal)
        center = UserNotificationCenter(
            applicationIdentifier: "app", limits: limits, bus: bus,
            output: NotificationOutput {
                standardError.add($0)
            } journal: {
                journal.add("\($0) \($1)")
            })
    }

    /// A center whose application may use all means.
    static func authorized(
        _ bus: DBusBus, _ change: (inout NotificationLimits) -> Void = { _ in }
    ) async -> CenterUnderTest {
        let under = CenterUnderTest(bus, change)
        await under.center.requestAuthorization(options: [.alert, .sound, .badge])
        return under
    }

    @discardableResult
    func add(_ identifier: String, _ title: String = "title", body: String = "") async throws -> DeliveredNotification {
        try await center.add(
            NotificationRequest(identifier: identifier, content: NotificationContent(title: title, body: body)))
    }
}
