import CSndFile
package import EarshotSystem

/// The formats besides WAV that libsndfile writes and that keep near-ultrasound: see docs/codecs.md.
package enum CompressedKind: String, CaseIterable, Sendable {
    case flac
    case vorbis
    case opus
    case mp3

    /// The kind for the extension of a file's name; nil for every other extension.
    package init?(path: FilePath) {
        let name = path.description.lowercased()
        guard let dot = name.lastIndex(of: ".") else { return nil }
        switch name[name.index(after: dot)...] {
        case "flac": self = .flac
        case "ogg", "oga": self = .vorbis
        case "opus": self = .opus
        case "mp3": self = .mp3
        default: return nil
        }
    }

    /// False if the samples come back as they were written.
    package var isLossy: Bool { self != .flac }

    var name: String {
        switch self {
        case .flac: "FLAC"
        case .vorbis: "Ogg Vorbis"
        case .opus: "Ogg Opus"
        case .mp3: "MP3"
        }
    }

    /// libsndfile's code. `format` matters only for FLAC, which has no floats.
    func formatCode(_ format: SampleFormat) -> CInt {
        let code =
            switch self {
            case .flac: SF_FORMAT_FLAC | (format == .s16 ? SF_FORMAT_PCM_16 : SF_FORMAT_PCM_24)
            case .vorbis: SF_FORMAT_OGG | SF_FORMAT_VORBIS
            case .opus: SF_FORMAT_OGG | SF_FORMAT_OPUS
            case .mp3: SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III
            }
        return CInt(code)
    }
}
