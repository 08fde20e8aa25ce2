/// What carries a program from a loudspeaker to a microphone, or stands in for both.
///
/// A live medium plays on one thread from a `ProgramStream` and says as it goes what `left`. On another it gives `run`
/// what it records, and listens with a `Receiver` of its own for `run.program.order.profiles`. It goes on for about a
/// second behind the program's end. When `run.isCancelled` becomes true it stops playing, listens that second too, and
/// returns as if nothing had happened: what was played is judged.
package protocol LoopbackMedium: Sendable {
    /// What it is, for people: "air, 20 dB", "hw:1,0 to hw:0,0, 48000 Hz s16".
    var description: String { get }
    /// Carries the program of `run` and tells it everything.
    /// - Throws: what keeps the test from being made at all, an `AudioError` or a `DeviceError`; what was told before is
    ///   still judged.
    func carry(_ run: LoopbackRun) throws
}

/// A stretch of sound that never was played, or never was recorded.
package struct LoopbackDropout: Sendable, Equatable {
    /// Which of the two devices was not served in time.
    package enum Side: String, Sendable {
        /// Samples came too late to be played.
        case playback
        /// Samples were not fetched in time; silence stands in their place.
        case capture
    }

    /// Where it happened.
    package let side: Side
    /// How long it was, where the device says so.
    package let seconds: Double?

    /// See the properties of the same names.
    package init(_ side: Side, seconds: Double?) {
        self.side = side
        self.seconds = seconds
    }
}
