import Dispatch
import EarshotNotifications
import Foundation
import Synchronization

/// Passes the app's requests to its notification center, in order, without delaying the app.
final class NotificationPresenter: Sendable {
    private let center: UserNotificationCenter
    private let steps: AsyncStream<Step>.Continuation
    private let lastNumber = Atomic<UInt64>(0)

    /// The number of steps that may wait for the desktop.
    private static let maximumStepCount = 256

    typealias Clicked = @MainActor @Sendable (UILocalNotification) -> Void

    private enum Step: Sendable {
        case register(NotificationOptions, @Sendable (NotificationSettings) -> Void)
        case present(NotificationRequest, Original)
        case cancel(Original)
        case cancelAll
        case badge(Int)
        case done(CheckedContinuation<Void, Never>)
    }

    /// The app's notification. Unchecked, because it is not Sendable: here it is only compared by identity, and
    /// returned to the app on the main queue.
    private final class Original: @unchecked Sendable {
        let notification: UILocalNotification

        init(_ notification: UILocalNotification) { self.notification = notification }
    }

    /// - Parameter clicked: receives the notification that the user clicked.
    init(_ center: UserNotificationCenter, clicked: @escaping Clicked) {
        self.center = center
        let (stream, continuation) = AsyncStream.makeStream(
            of: Step.self, bufferingPolicy: .bufferingOldest(Self.maximumStepCount))
        steps = continuation
        Task { [center] in
            // The notifications on the desktop, which may be cancelled.
            var shown: [String: Original] = [:]
            for await step in stream { await Self.take(step, center, &shown, clicked) }
        }
    }

    deinit {
        steps.finish()
    }

    func register(_ options: NotificationOptions, answer: @escaping @Sendable (NotificationSettings) -> Void) {
        take(.register(options, answer))
    }

    func present(_ notification: UILocalNotification) {
        guard let content = notification.content(applicationIdentifier: center.applicationIdentifier) else { return }
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        let request = NotificationRequest(identifier: "local-\(number)", content: content)
        take(.present(request, Original(notification)))
    }

    func cancel(_ notification: UILocalNotification) { take(.cancel(Original(notification))) }

    func cancelAll() { take(.cancelAll) }

    func setBadge(_ count: Int) { take(.badge(count)) }

    func waitUntilDone() async {
        await withCheckedContinuation { take(.done($0)) }
    }

    private func take(_ step: Step) {
        guard case .dropped(let dropped) = steps.yield(step) else { return }
        center.warn("\(NotificationError.tooMany)")
        if case .done(let continuation) = dropped { continuation.resume() }
    }

    private static func take(
        _ step: Step, _ center: UserNotificationCenter, _ shown: inout [String: Original], _ clicked: @escaping Clicked
    ) async {
        switch step {
        case .register(let options, let answer): answer(await center.requestAuthorization(options: options))
        case .present(let request, let original):
            await show(request, original, center, clicked)
            shown[request.identifier] = original
            let open = Set(await center.deliveredIdentifiers())
            shown = shown.filter { open.contains($0.key) }
        case .cancel(let original):
            let identifiers = shown.filter { $0.value.notification === original.notification }.map(\.key)
            await center.removeDeliveredNotifications(withIdentifiers: identifiers)
        case .cancelAll: await center.removeAllDeliveredNotifications()
        case .badge(let count):
            do throws(NotificationError) { try await center.setBadgeCount(count) } catch { center.warn("\(error)") }
        case .done(let continuation): continuation.resume()
        }
    }

    private static func show(
        _ request: NotificationRequest, _ original: Original, _ center: UserNotificationCenter,
        _ clicked: @escaping Clicked
    ) async {
        do throws(NotificationError) {
            let delivered = try await center.add(request)
            guard delivered.place == .desktop else { return }
            Task {
                for await event in delivered.events {
                    guard case .action = event else { continue }
                    await click(original, clicked)
                }
            }
        } catch { center.warn("\(error)") }
    }

    @MainActor private static func click(_ original: Original, _ clicked: Clicked) {
        clicked(original.notification)
    }
}
