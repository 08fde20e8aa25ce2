import Dispatch
import EarshotNotifications
import Foundation
import Synchronization

/// Passes the app's requests to its notification center, in order, without delaying the app.
final class NotificationPresenter: Sendable {
    private let center: UserNotificationCenter
    private let steps: AsyncStream<Step>.Continuation
    private let lastNumber = Atomic<UInt64>(0)
    private let relay: @Sendable () -> (any NotificationRelay)?

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

    /// The notifications that may be cancelled.
    private struct Shown {
        /// Those that the desktop shows.
        var here: [String: Original] = [:]
        /// Those of the relay, the oldest first. It does not say when they are closed.
        var there: [(identifier: String, original: Original)] = []
        /// The means that the app has registered.
        var options: NotificationOptions = []

        /// More than a desktop shows of an app at once.
        static let maximumCountThere = 64
    }

    /// - Parameters:
    ///   - relay: what shows the notifications if it can; nil if the center shows all.
    ///   - clicked: receives the notification that the user clicked.
    init(
        _ center: UserNotificationCenter, relay: @escaping @Sendable () -> (any NotificationRelay)?,
        clicked: @escaping Clicked
    ) {
        self.center = center
        self.relay = relay
        let (stream, continuation) = AsyncStream.makeStream(
            of: Step.self, bufferingPolicy: .bufferingOldest(Self.maximumStepCount))
        steps = continuation
        Task { [center] in
            var shown = Shown()
            for await step in stream { await Self.take(step, center, relay, &shown, clicked) }
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
        _ step: Step, _ center: UserNotificationCenter, _ relay: @Sendable () -> (any NotificationRelay)?,
        _ shown: inout Shown, _ clicked: @escaping Clicked
    ) async {
        switch step {
        case .register(let options, let answer):
            shown.options = options
            answer(await center.requestAuthorization(options: options))
        case .present(let request, let original):
            // Without the alerts that the app has registered, the center says what is wrong.
            if shown.options.contains(.alert), let relay = relay(),
                await relay.show(
                    request.limited(to: shown.options),
                    onClick: {
                        Task { await click(original, clicked) }
                    })
            {
                shown.there.append((request.identifier, original))
                if shown.there.count > Shown.maximumCountThere { shown.there.removeFirst() }
                return
            }
            await show(request, original, center, clicked)
            shown.here[request.identifier] = original
            let open = Set(await center.deliveredIdentifiers())
            shown.here = shown.here.filter { open.contains($0.key) }
        case .cancel(let original):
            let identifiers = shown.here.filter { $0.value.notification === original.notification }.map(\.key)
            await center.removeDeliveredNotifications(withIdentifiers: identifiers)
            for (identifier, other) in shown.there where other.notification === original.notification {
                relay()?.remove(identifier)
            }
            shown.there.removeAll { $0.original.notification === original.notification }
        case .cancelAll:
            await center.removeAllDeliveredNotifications()
            for (identifier, _) in shown.there { relay()?.remove(identifier) }
            shown.there = []
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

extension NotificationRequest {
    /// The request without the means that the app has not registered.
    fileprivate func limited(to options: NotificationOptions) -> NotificationRequest {
        var request = self
        if !options.contains(.sound) { request.content.sound = nil }
        if !options.contains(.badge) { request.content.badge = nil }
        return request
    }
}
