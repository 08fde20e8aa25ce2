import EarshotSystem

/// The file names of a recording: `take.wav`, then `take-2.wav`, `take-3.wav` …
enum RecordingName {
    /// The path of file `number` ≥ 1; the number goes before the extension.
    static func path(_ path: FilePath, number: Int) -> FilePath {
        number == 1 ? path : path.insertingBeforeExtension("-\(number)")
    }
}
