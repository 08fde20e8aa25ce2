import Dispatch
import EarshotPush
import Foundation
import Glibc
import NearbyWire
import Synchronization

/// The process of a provider: it follows the agent's orders, and ends with the agent.
final class ProviderProgram: Sendable {
    /// The status of sysexits for a program that was started incorrectly.
    private static let usageStatus: CInt = 64
    /// The provider's time to disconnect when the agent is gone: the next agent starts the next process.
    private static let lonelySeconds = 1.0

    /// Unchecked, because the provider is not Sendable: only the main queue uses it.
    private final class Box: @unchecked Sendable {
        let make: @Sendable () -> NEAppPushProvider
        lazy var provider = make()
        var timer: (any DispatchSourceTimer)?
        var isStopping = false

        init(_ make: @escaping @Sendable () -> NEAppPushProvider) { self.make = make }
    }

    private let box: Box
    private let link = Mutex<ProviderLink?>(nil)

    private init(_ make: @escaping @Sendable () -> NEAppPushProvider) { box = Box(make) }

    /// Serves the agent; does not return.
    static func run(_ make: @escaping @Sendable () -> NEAppPushProvider) {
        guard let socket = ProviderLink.takeSocket() else {
            let text = "This program is a provider of local push. earshot-agent starts it; docs/PUSH.md says how.\n"
            _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            exit(usageStatus)
        }
        let program = ProviderProgram(make)
        let link = ProviderLink(socket) { program.take($0) }
        program.link.withLock { $0 = link }
        link.start()
        // Timers need the run loop, which returns at once if it has no sources.
        RunLoop.main.run()
        dispatchMain()
    }

    private func take(_ event: ProviderLink.Event) {
        if case .end = event {
            // Also if the main queue hangs.
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: Self.lonelySeconds)
                _exit(0)
            }
        }
        DispatchQueue.main.async { self.handle(event) }
    }

    private func handle(_ event: ProviderLink.Event) {
        guard let link = link.withLock(\.self) else { return }
        switch event {
        case .begin(let begin): self.begin(begin, link)
        case .stop(let reason): stop(reason, link)
        case .end: stop(.none, link)
        }
    }

    private func begin(_ begin: ProviderOrder.Begin, _ link: ProviderLink) {
        guard !box.isStopping, case .dictionary(let configuration) = begin.providerConfiguration else { return }
        setenv("EARSHOT_APP_ID", begin.app, 1)
        box.provider.begin(configuration, link)
        let (box, answer) = (box, Once())
        box.provider.start { error in
            guard answer.take() else { return }
            link.send(.started(ProviderFrame.Started(error: error.map { "\($0.localizedDescription)" })))
            guard error == nil else { return }
            DispatchQueue.main.async { Self.startTimer(box, seconds: begin.timerSeconds) }
        }
    }

    private static func startTimer(_ box: Box, seconds: Double) {
        guard box.timer == nil, !box.isStopping, seconds > 0 else { return }
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(
            deadline: .now() + seconds, repeating: seconds, leeway: .milliseconds(Int(seconds * 100)))
        timer.setEventHandler { box.provider.handleTimerEvent() }
        timer.activate()
        box.timer = timer
    }

    private func stop(_ reason: PushStopReason, _ link: ProviderLink) {
        guard !box.isStopping else { return }
        box.isStopping = true
        box.timer?.cancel()
        box.provider.stop(with: NEProviderStopReason(reason)) {
            link.send(.stopped)
            exit(0)
        }
    }
}

/// True once.
private final class Once: Sendable {
    private let isOver = Mutex(false)

    func take() -> Bool {
        isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
    }
}
