import Dispatch
package import EarshotAudio
import EarshotLive
import EarshotModem
import EarshotSystem
import Synchronization

/// A real loudspeaker and a real microphone, or virtual devices in their place.
package struct ALSAMedium: LoopbackMedium {
    /// Seconds of sound that wait in the loudspeaker's buffer.
    package static let bufferSeconds = 0.25
    /// Seconds of listening before anything is played, and after the end of the program: sound cards take time to wake up, and
    /// sound servers add a few tenths of a second.
    private static let leadSeconds = 0.5
    private static let tailSeconds = 1.0
    /// The length of a piece for the loudspeaker in seconds, and the number of pieces that wait there.
    private static let pieceSeconds = 0.25
    private static let pieceCount = 3
    /// The maximum seconds of silence that replace one gap.
    private static let longestGapSeconds = 60.0

    private let playback: DeviceRequest
    private let capture: DeviceRequest

    /// A pair of devices. Both requests must have the program's rate.
    package init(playback: DeviceRequest, capture: DeviceRequest) {
        self.playback = playback
        self.capture = capture
    }

    /// The names of both devices.
    package var description: String { "\(playback.name) to \(capture.name)" }

    /// See `LoopbackMedium`. The listener works on its own thread; this one feeds the loudspeaker.
    /// - Throws: `DeviceError` if a device cannot be used, or goes away.
    package func carry(_ run: LoopbackRun) throws {
        var options = Listener.Options()
        options.profiles = run.program.order.profiles
        options.mixesChannels = true
        let listener = try Listener(capture, options: options)
        let loudspeaker = try Loudspeaker(playback)

        let failure = Mutex<DeviceError?>(nil)
        let listened = DispatchSemaphore(value: 0)
        DispatchQueue(label: "earshot.loopback.listen").async {
            do throws(DeviceError) {
                try Self.listen(listener, run, failure)
            } catch {
                failure.withLock { $0 = error }
            }
            listened.signal()
        }
        _ = listened.wait(timeout: .now() + Self.leadSeconds)
        let played = Result { try Self.play(run, on: loudspeaker, failure) }
        _ = listened.wait(timeout: .now() + Self.tailSeconds)
        loudspeaker.stop()
        listener.stop()
        listened.wait()
        try played.get()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// Plays the program of a run without listening.
    /// - Throws: `DeviceError` if the device cannot be used, or goes away.
    package static func play(_ run: LoopbackRun, on device: DeviceRequest) throws {
        let loudspeaker = try Loudspeaker(device)
        defer { loudspeaker.stop() }
        try play(run, on: loudspeaker, Mutex(nil))
    }

    private static func listen(
        _ listener: Listener, _ run: LoopbackRun, _ failure: borrowing Mutex<DeviceError?>
    ) throws(DeviceError) {
        let format = listener.format
        let longestGap = Int(longestGapSeconds * Double(format.sampleRateHertz))
        var mixed: [Float] = []
        try listener.run { block, samples in
            if block.droppedFrameCount > 0 {
                run.dropped(
                    LoopbackDropout(
                        .capture, seconds: Double(block.droppedFrameCount) / Double(format.sampleRateHertz)))
                let silence = [Float](repeating: 0, count: min(block.droppedFrameCount, longestGap))
                run.recorded(silence.span)
            }
            guard format.channelCount > 1 else {
                run.recorded(samples)
                return
            }
            ChannelMean.take(samples, channelCount: format.channelCount, into: &mixed)
            run.recorded(mixed.span)
        } onEvent: { event in
            switch event {
            case .heard(let heard): run.received(heard.frame, atSeconds: seconds(MonotonicTime.nanoseconds))
            case .ended(let summary):
                if let error = summary.failure { failure.withLock { $0 = error } }
            default: break
            }
        }
    }

    /// Feeds the program piece by piece, and reports when each piece has left.
    private static func play(_ run: LoopbackRun, on loudspeaker: Loudspeaker, _ failure: borrowing Mutex<DeviceError?>)
        throws
    {
        let rate = run.program.sampleRateHertz
        var stream = ProgramStream(run.program)
        let problem = Mutex<(any Error)?>(nil)
        let room = DispatchSemaphore(value: pieceCount)
        while !run.isCancelled, failure.withLock({ $0 }) == nil, problem.withLock({ $0 }) == nil {
            let start = stream.position
            var piece = [Float](repeating: 0, count: Int(pieceSeconds * Double(rate)))
            var span = piece.mutableSpan
            let count = stream.read(into: &span)
            if count == 0 { break }
            if count < piece.count { piece.removeLast(piece.count - count) }
            room.wait()
            loudspeaker.enqueue(piece) { result in
                switch result {
                case .success(let playback):
                    run.left(start, atSeconds: seconds(playback.beginNanoseconds))
                    run.left(start + count, atSeconds: seconds(playback.endNanoseconds))
                    for _ in 0..<playback.underrunCount { run.dropped(LoopbackDropout(.playback, seconds: nil)) }
                    run.progressed(to: Double(start + count) / Double(run.program.sampleCount))
                case .failure(let error):
                    problem.withLock { if $0 == nil { $0 = error } }
                }
                room.signal()
            }
        }
        if run.isCancelled || failure.withLock({ $0 }) != nil { loudspeaker.withdrawAll() }
        // Wait until the last piece has been played: then there is room for all pieces.
        for _ in 0..<pieceCount { room.wait() }
        for _ in 0..<pieceCount { room.signal() }
        if let error = problem.withLock({ $0 }), !(error is CancellationError) { throw error }
    }

    private static func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e9 }
}
