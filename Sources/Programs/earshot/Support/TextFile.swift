import EarshotAudio
import EarshotConsole
import EarshotSoundConsole
import EarshotSystem

/// Writes a text file completely or not at all.
enum TextFile {
    /// Writes `text` to a file, a device or a pipe; "-" is standard output.
    /// - Throws: `Failure` if the text cannot be written.
    static func write(_ text: String, to path: FilePath) throws(Failure) {
        if path == "-" || path == "/dev/stdout" {
            StandardStream.output.write(text)
            return
        }
        let bytes = Array(text.utf8)
        // A signal waits, so that no partial file is left.
        let result = Interruption.deferred { () -> Result<Void, AudioError> in
            Result { () throws(AudioError) in
                let target = try OutputTarget(path: path)
                // The closure of withUnsafeBytes throws any error.
                try bytes.span.withUnsafeBytes { (bytes) throws(AudioError) in try target.write(bytes) }
            }
        }
        do {
            try result.get()
        } catch {
            throw Failure(writing: error)
        }
    }
}
