import EarshotSystem

/// A playback device that stays open and always plays: queued sounds, and silence otherwise.
///
///     let loudspeaker = try Loudspeaker(DeviceRequest("hw:1", bufferSeconds: 0.25))
///     let playback = try await loudspeaker.play(samples)
///
/// A stream that never stops does not click, and the next sound needs no new start. The device plays sounds one after
/// the other, the same on all channels, unchanged: the samples must contain their own ramps.
public final class Loudspeaker: Sendable {
    /// The format in which the device was opened.
    public let format: DeviceFormat

    private let queue = PlaybackQueue()
    private let worker = Worker()

    /// Opens a device and starts to play silence.
    ///
    /// - Throws: `DeviceError` if the device cannot be opened, configured or started; any of its kinds.
    public init(_ request: DeviceRequest) throws(DeviceError) {
        let pcm = try PCM(request, .playback)
        format = pcm.format
        let player = try Player(consume pcm, queue: queue, worker: worker)
        worker.start { player.run() }
    }

    deinit {
        worker.requestStop()
    }

    /// Plays a sound after all earlier ones.
    /// - Parameters:
    ///   - samples: one channel, full scale 1, at `format.sampleRateHertz`.
    ///   - beginNanoseconds: the time at which its first sample leaves the device, by `MonotonicTime`; nil means as
    ///     soon as possible. Later sounds in the queue wait too.
    /// - Returns: the times of its first and last sample, once the last has left the device.
    /// - Throws: `DeviceError` if the device went away before the end; `CancellationError` if the task was cancelled or
    ///   the loudspeaker stopped before the sound began. A sound that has begun is played to its end.
    @discardableResult
    public func play(_ samples: [Float], at beginNanoseconds: Int64? = nil) async throws -> Playback {
        let sound = PlaybackQueue.Sound(samples: samples, beginNanoseconds: beginNanoseconds)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.append(sound) { continuation.resume(with: $0) }
                // A task cancelled before `append` found nothing to withdraw in `onCancel`.
                if Task.isCancelled { queue.withdraw(sound) }
            }
        } onCancel: {
            queue.withdraw(sound)
        }
    }

    /// Queues a sound without waiting: `completion` gets what `play` returns or throws, on the playback thread. Queued
    /// sounds follow each other without a pause.
    public func enqueue(
        _ samples: [Float], at beginNanoseconds: Int64? = nil,
        _ completion: @escaping @Sendable (Result<Playback, any Error>) -> Void
    ) {
        queue.append(PlaybackQueue.Sound(samples: samples, beginNanoseconds: beginNanoseconds), completion)
    }

    /// Removes all sounds that have not begun; their callers get a `CancellationError`.
    public func withdrawAll() {
        queue.withdrawAll()
    }

    /// Closes the device; a sound in progress ends with a ramp of 5 ms.
    public func stop() {
        queue.end(CancellationError())
        worker.requestStop()
        worker.waitForEnd(seconds: 1)
    }
}

/// The result of playing one sound.
public struct Playback: Sendable, Equatable {
    /// The time at which the first sample left the device, by `MonotonicTime`, as the device reports it.
    public var beginNanoseconds: Int64
    /// The time at which the last sample had left the device, by `MonotonicTime`.
    public var endNanoseconds: Int64
    /// The number of underruns during the sound, ≥ 0: each leaves a hole in it.
    public var underrunCount: Int
}
