import DesktopTestSupport
import Dispatch
import EarshotDBus
import EarshotNotifications
import Foundation
import Synchronization

@testable import CallKit

/// A provider, its delegate and a controller, with the delegate's events. The delegate has its own queue.
final class Phone: NSObject, CXProviderDelegate, @unchecked Sendable {
    private struct State {
        var events: [String] = []
        var lines: [String] = []
        var isFailing = false
        var isSilent = false
    }

    private let state = Mutex(State())
    let provider: CXProvider
    let controller: CXCallController
    private static let queue = DispatchQueue(label: "calls")

    private final class Output: Sendable {
        let lines = Mutex<[String]>([])
    }

    private let output: Output

    init(
        _ bus: DBusBus, configuration: CXProviderConfiguration = CXProviderConfiguration(localizedName: "Ship Phone"),
        ringTone: RingTone = RingTone(device: nil),
        _ change: (inout NotificationLimits) -> Void = { _ in }
    ) {
        var limits = CXProvider.limits
        // A busy machine must not make a service look slow.
        limits.answerTime = .seconds(30)
        limits.pauseAfterFailure = .milliseconds(50)
        change(&limits)
        let output = Output()
        let written = NotificationOutput { line in
            output.lines.withLock { $0.append(line) }
        } journal: { _, _ in
        }
        let registry = ProviderRegistry()
        self.output = output
        provider = CXProvider(
            configuration: configuration,
            center: UserNotificationCenter(applicationIdentifier: "phone", limits: limits, bus: bus, output: written),
            output: written, registry: registry, ringTone: ringTone)
        controller = CXCallController(queue: Self.queue, registry: registry)
        super.init()
        provider.setDelegate(self, queue: Self.queue)
        // The delegate gets "begin" on its queue. Tests that list all events must not race with that.
        Self.queue.sync {}
    }

    /// The delegate's events in order, such as "answer".
    var events: [String] { state.withLock { $0.events } }
    var lines: [String] { output.lines.withLock { $0 } }
    /// Whether further actions fail.
    func set(isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }
    /// Whether further actions are neither fulfilled nor failed.
    func set(isSilent: Bool) { state.withLock { $0.isSilent = isSilent } }

    /// The identifiers of the calls that are not over, and whether each is connected.
    var calls: [UUID: Bool] {
        Dictionary(uniqueKeysWithValues: controller.callObserver.calls.map { ($0.uuid, $0.hasConnected) })
    }

    /// Reports an incoming call.
    func ring(_ name: String? = "Ann", video: Bool = false, uuid: UUID = UUID()) async throws -> UUID {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: "ann@ship")
        update.localizedCallerName = name
        update.hasVideo = video
        try await provider.reportNewIncomingCall(with: uuid, update: update)
        return uuid
    }

    private func take(_ event: String, _ action: CXAction? = nil) {
        let (isFailing, isSilent) = state.withLock { state in
            state.events.append(event)
            return (state.isFailing, state.isSilent)
        }
        guard !isSilent else { return }
        if isFailing { action?.fail() } else { action?.fulfill() }
    }

    func providerDidBegin(_ provider: CXProvider) { take("begin") }
    func providerDidReset(_ provider: CXProvider) { take("reset") }
    func provider(_ provider: CXProvider, perform action: CXStartCallAction) { take("start", action) }
    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { take("answer", action) }
    func provider(_ provider: CXProvider, perform action: CXEndCallAction) { take("end", action) }
}
