import ArgumentParser
import EarshotConsole
import EarshotSystem
import Glibc

/// The formats in which a command writes a file. A name with another format's extension is refused, because the file's
/// content would not match its name.
enum OutputFormat {
    /// WAV, and the compressed formats that `encode` writes.
    case wav
    /// WAV alone.
    case plainWAV
    case svg

    /// Extensions of other formats of the same purpose.
    private var otherExtensions: [String] {
        switch self {
        case .wav: Self.soundExtensions
        case .plainWAV: Self.soundExtensions + Self.compressedExtensions
        case .svg: ["png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "pdf", "eps", "ps"]
        }
    }

    private static let soundExtensions = [
        "m4a", "mp4", "aac", "webm", "wma", "aif", "aiff", "aifc", "au", "snd", "caf", "w64", "rf64", "raw", "pcm",
    ]
    private static let compressedExtensions = ["flac", "ogg", "oga", "opus", "mp3"]

    /// Refuses a file whose extension is that of another format.
    /// - Parameter option: the option that names the file.
    /// - Throws: `ValidationError` that says how to get the other format.
    func check(_ path: FilePath, option: String) throws(ValidationError) {
        let name = path.description.lowercased()
        guard let found = otherExtensions.first(where: { name.hasSuffix(".\($0)") }) else { return }
        let (kind, own, converter) =
            switch self {
            case .wav: ("WAV, FLAC, Ogg and MP3 files", "wav", "ffmpeg -i FILE.wav FILE.\(found)")
            case .plainWAV: ("a WAV file", "wav", "ffmpeg -i FILE.wav FILE.\(found)")
            case .svg: ("an SVG picture", "svg", "inkscape FILE.svg -o FILE.\(found)")
            }
        throw ValidationError(
            "\(option) \(path.escapedForTerminal): this command writes \(kind), but not .\(found). Name it .\(own), and "
                + "then convert it, for example with '\(converter)'.")
    }

    /// Refuses a sound file's name for a picture, which would replace the sound.
    static func requireNoSound(_ path: FilePath, option: String) throws(Failure) {
        let name = path.description.lowercased()
        guard (["wav"] + compressedExtensions + soundExtensions).contains(where: { name.hasSuffix(".\($0)") }) else {
            return
        }
        throw Failure(.usage, "\(option) \(path.escapedForTerminal): a picture would replace the sound. Name it .svg.")
    }

    /// Checks before long work that the file's folder exists.
    /// - Throws: `Failure` that names the folder.
    static func requireFolder(of path: FilePath, option: String) throws(Failure) {
        guard path != "-", path.directory.withCString({ access($0, F_OK) }) != 0 else { return }
        throw Failure(
            .cannotCreate,
            "\(option) \(path.escapedForTerminal): there is no folder \(path.directory.escapedForTerminal). Make it first, or name "
                + "another file.")
    }
}
