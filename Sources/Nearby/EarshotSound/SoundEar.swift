import EarshotAudio
import EarshotBasics
import EarshotLive
import EarshotSystem
import Synchronization

/// Listens on its own thread until it is stopped. Without a microphone it reports a problem, and waits for one.
final class SoundEar: Sendable {
    /// The interval of level reports: two pieces of the microphone.
    private static let levelSeconds = 0.04

    private let request: DeviceRequest
    private let problems: SoundProblems
    private let worker = Worker()
    private let listener = Mutex<Listener?>(nil)

    init(_ request: DeviceRequest, _ problems: SoundProblems) {
        self.request = request
        self.problems = problems
    }

    /// Begins; calls `onEvent` on the ear's thread.
    func start(_ onEvent: @escaping @Sendable (ListenerEvent) -> Void) {
        worker.start { [self] in
            var backOff = BackOff(SoundProblems.reopening)
            while !worker.isStopping {
                do throws(DeviceError) {
                    try listen(onEvent)
                    backOff.reset()
                } catch {
                    problems.capture(error)
                }
                worker.pause(seconds: backOff.pause().seconds)
            }
        }
    }

    func requestStop() {
        worker.requestStop()
        listener.withLock { $0?.stop() }
    }

    func waitForEnd(seconds: Double) -> Bool { worker.waitForEnd(seconds: seconds) }

    /// Listens until it is asked to stop.
    /// - Throws: `DeviceError` if the microphone cannot be opened, or has gone away.
    private func listen(_ onEvent: (ListenerEvent) -> Void) throws(DeviceError) {
        var options = Listener.Options()
        options.levelIntervalSeconds = Self.levelSeconds
        // A found neighbour should be lost only when it is gone.
        options.recognisesTokens = true
        let opened = try AnswerWatch.run("open", request.name, onSilence: { [problems] in problems.capture($0) }) {
            () throws(DeviceError) in try Listener(request, reconnects: true, options: options)
        }
        listener.withLock { $0 = opened }
        // A stop requested before this line found no listener to stop.
        if worker.isStopping { opened.stop() }
        problems.capture(nil)
        var failure: DeviceError?
        try opened.run { event in
            switch event {
            case .interrupted(let error): problems.capture(error)
            case .resumed: problems.capture(nil)
            case .ended(let summary): failure = summary.failure
            case .heard, .level, .gap, .overloaded, .missed: onEvent(event)
            }
        }
        listener.withLock { $0 = nil }
        if let failure { throw failure }
    }
}
