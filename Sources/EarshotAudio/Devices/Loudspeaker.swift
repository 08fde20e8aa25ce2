/// A playback device that is always open and always playing: sounds when there are some, silence otherwise.
///
///     let loudspeaker = try Loudspeaker(DeviceRequest("hw:1", bufferSeconds: 0.25))
///     let playback = try await loudspeaker.play(samples)
///
/// A stream that never stops does not click, and a sound that follows another needs no new start. Sounds are played one
/// after the other, on all channels alike, as they are: give them ramps.
public final class Loudspeaker: Sendable {
    /// What the device does.
    public let format: DeviceFormat

    private let queue = PlaybackQueue()
    private let worker = Worker()

    /// Opens a device and starts to play silence.
    public init(_ request: DeviceRequest) throws(DeviceError) {
        let pcm = try PCM(request, .playback)
        format = pcm.format
        let player = try Player(consume pcm, queue: queue, worker: worker)
        worker.start { player.run() }
    }

    deinit {
        worker.requestStop()
    }

    /// Plays a sound after those that were given before.
    /// - Parameters:
    ///   - samples: one channel, full scale 1, at `format.sampleRateHertz`.
    ///   - beginNanoseconds: when its first sample is to leave the device, by `MonotonicTime`; nil: as soon as it can.
    ///     Sounds behind it wait as well.
    /// - Returns: when its last sample has left the device.
    /// - Throws: `DeviceError` when the device went away before; `CancellationError` when the task was cancelled or the
    ///   loudspeaker stopped before the sound began. One that has begun is played to its end.
    @discardableResult
    public func play(_ samples: [Float], at beginNanoseconds: Int64? = nil) async throws -> Playback {
        let sound = PlaybackQueue.Sound(samples: samples, beginNanoseconds: beginNanoseconds)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.append(sound) { continuation.resume(with: $0) }
                // A task that was cancelled before this had nothing to withdraw then.
                if Task.isCancelled { queue.withdraw(sound) }
            }
        } onCancel: {
            queue.withdraw(sound)
        }
    }

    /// The same for whoever waits for nothing: `completion` gets what `play` returns or throws, on the thread that plays.
    /// Sounds that are given while others wait follow them without a pause.
    public func enqueue(
        _ samples: [Float], at beginNanoseconds: Int64? = nil,
        _ completion: @escaping @Sendable (Result<Playback, any Error>) -> Void
    ) {
        queue.append(PlaybackQueue.Sound(samples: samples, beginNanoseconds: beginNanoseconds), completion)
    }

    /// Sounds that have not begun are not played any more: their callers get a `CancellationError`.
    public func withdrawAll() {
        queue.withdrawAll()
    }

    /// Closes the device; what is still sounding ends with a ramp of 5 ms.
    public func stop() {
        queue.end(CancellationError())
        worker.requestStop()
        worker.waitForEnd(seconds: 1)
    }
}

/// How a sound was played.
public struct Playback: Sendable, Equatable {
    /// When its first sample left the device, by `MonotonicTime`, as far as the device says.
    public var beginNanoseconds: Int64
    /// When its last sample had left.
    public var endNanoseconds: Int64
    /// How often the device ran dry meanwhile: each time the sound has a hole.
    public var underrunCount: Int
}
