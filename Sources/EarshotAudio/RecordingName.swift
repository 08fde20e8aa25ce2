/// The file names of a recording: `take.wav`, then `take-2.wav`, `take-3.wav` …
enum RecordingName {
    /// The path of file `number` ≥ 1; the number goes before the extension.
    static func path(_ path: String, number: Int) -> String {
        if number == 1 { return path }
        let nameStart = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        // A leading dot hides a file and does not start an extension.
        let dot = path[nameStart...].dropFirst().lastIndex(of: ".") ?? path.endIndex
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }
}
