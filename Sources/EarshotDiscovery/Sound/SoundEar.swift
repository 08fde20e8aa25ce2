import EarshotAudio
import EarshotLive
import Synchronization

/// Listens on a thread of its own for as long as it lasts: where there is no microphone it says so, and waits for one.
final class SoundEar: Sendable {
    /// The level's interval: two of the microphone's pieces.
    private static let levelSeconds = 0.04

    private let request: DeviceRequest
    private let problems: SoundProblems
    private let worker = Worker()
    private let listener = Mutex<Listener?>(nil)

    init(_ request: DeviceRequest, _ problems: SoundProblems) {
        self.request = request
        self.problems = problems
    }

    /// Begins; `onEvent` is called on the ear's thread.
    func start(_ onEvent: @escaping @Sendable (ListenerEvent) -> Void) {
        worker.start { [self] in
            var retry = DeviceRetry()
            while !worker.isStopping {
                do throws(DeviceError) {
                    try listen(onEvent)
                    retry = DeviceRetry()
                } catch {
                    problems.capture(error)
                }
                worker.pause(seconds: retry.nextWaitSeconds())
            }
        }
    }

    func requestStop() {
        worker.requestStop()
        listener.withLock { $0?.stop() }
    }

    func waitForEnd(seconds: Double) -> Bool { worker.waitForEnd(seconds: seconds) }

    /// Listens until it is asked to stop.
    /// - Throws: why there is no device, or none any more.
    private func listen(_ onEvent: (ListenerEvent) -> Void) throws(DeviceError) {
        var options = Listener.Options()
        options.levelIntervalSeconds = Self.levelSeconds
        // Whoever was found is only to be missed when it is gone.
        options.recognisesTokens = true
        let opened = try Listener(request, reconnects: true, options: options)
        listener.withLock { $0 = opened }
        // Whoever asked before that found no listener.
        if worker.isStopping { opened.stop() }
        problems.capture(nil)
        var failure: DeviceError?
        opened.run { event in
            switch event {
            case .interrupted(let error): problems.capture(error)
            case .resumed: problems.capture(nil)
            case .ended(let summary): failure = summary.failure
            case .heard, .level, .gap, .missed: onEvent(event)
            }
        }
        listener.withLock { $0 = nil }
        if let failure { throw failure }
    }
}
