import Synchronization

/// Sounds that wait for the playback thread; any thread may add one.
final class PlaybackQueue: Sendable {
    /// One sound; a class, because a cancellation must find it again by identity.
    final class Sound: Sendable {
        let samples: [Float]
        /// The time at which the sound should begin, by `MonotonicTime`; nil or a past time means as soon as possible.
        let beginNanoseconds: Int64?

        init(samples: [Float], beginNanoseconds: Int64? = nil) {
            self.samples = samples
            self.beginNanoseconds = beginNanoseconds
        }
    }

    typealias Completion = @Sendable (Result<Playback, any Error>) -> Void

    private struct State {
        var waiting: [(sound: Sound, completion: Completion)] = []
        /// Set once the device is gone: the error of every later sound.
        var end: (any Error)?
    }

    private let state = Mutex(State())

    func append(_ sound: Sound, _ completion: @escaping Completion) {
        let end = state.withLock { state in
            if state.end == nil { state.waiting.append((sound, completion)) }
            return state.end
        }
        if let end { completion(.failure(end)) }
    }

    /// Removes and returns the next sound, if it should begin before `end`.
    func next(before end: Int64 = .max) -> (sound: Sound, completion: Completion)? {
        state.withLock { state in
            guard let first = state.waiting.first, first.sound.beginNanoseconds ?? .min < end else { return nil }
            return state.waiting.removeFirst()
        }
    }

    func withdraw(_ sound: Sound) {
        let found = state.withLock { state in
            state.waiting.firstIndex { $0.sound === sound }.map { state.waiting.remove(at: $0) }
        }
        found?.completion(.failure(CancellationError()))
    }

    func withdrawAll() {
        refuse(CancellationError())
    }

    /// Fails all waiting and later sounds with `error`.
    func end(_ error: any Error) {
        state.withLock { if $0.end == nil { $0.end = error } }
        refuse(error)
    }

    private func refuse(_ error: any Error) {
        let refused = state.withLock { exchange(&$0.waiting, with: []) }
        for (_, completion) in refused { completion(.failure(error)) }
    }
}
