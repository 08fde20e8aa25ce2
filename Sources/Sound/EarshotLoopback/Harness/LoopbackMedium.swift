/// Carries a program from a loudspeaker to a microphone, or replaces both.
///
/// A live medium plays on one thread from a `ProgramStream` and reports progress with `left`. On another thread it
/// gives `run` the recorded samples, and listens with a `Receiver` of its own for `run.program.order.profiles`. It
/// continues for about a second after the end of the program. When `run.isCancelled` becomes true it stops playing,
/// also listens for that second, and returns normally: the played part is judged.
package protocol LoopbackMedium: Sendable {
    /// A name for the user, such as "air, 20 dB" or "hw:1,0 to hw:0,0, 48000 Hz s16".
    var description: String { get }
    /// Carries the program of `run` and reports everything to it.
    /// - Throws: `AudioError` or `DeviceError` if the test cannot be started or continued; earlier reports are still
    ///   judged.
    func carry(_ run: LoopbackRun) throws
}

/// A stretch of sound that was not played, or not recorded.
package struct LoopbackDropout: Sendable, Equatable {
    /// The device that was not served in time.
    package enum Side: String, Sendable {
        /// Samples came too late to be played.
        case playback
        /// Samples were not read in time; silence replaces them.
        case capture
    }

    /// The device.
    package let side: Side
    /// Its length in seconds; nil if the device does not report it.
    package let seconds: Double?

    /// Sets the properties of the same names.
    package init(_ side: Side, seconds: Double?) {
        self.side = side
        self.seconds = seconds
    }
}
