package import EarshotAudio
import EarshotConsole

/// The note about a sound device that does not answer while a command waits for it.
package enum SilentDevice {
    /// Prints the note on standard error, for `AnswerWatch`.
    package static func note(isQuiet: Bool) -> @Sendable (DeviceError) -> Void {
        { error in
            if !isQuiet { StandardStream.error.print("waiting: \(error)") }
        }
    }
}
