/// The file kind that the first bytes of a stream indicate.
enum FileKind: Equatable {
    /// RIFF, RF64 or BW64 with WAVE inside, little-endian.
    case wav
    /// A kind that libsndfile decodes.
    case library
    /// Sound without anything useful above 16 kHz, or of a kind that the reader does not support.
    case unsupported(String)
    case unknown

    /// - Parameter head: the first 12 bytes, or all bytes of a shorter stream.
    init(head: [UInt8]) {
        let name = String(decoding: head.prefix(4), as: UTF8.self)
        let form = String(decoding: head.dropFirst(8).prefix(4), as: UTF8.self)
        switch (name, form) {
        case ("RIFF", "WAVE"), ("RF64", "WAVE"), ("BW64", "WAVE"): self = .wav
        case ("RIFX", "WAVE"), ("FORM", "AIFF"), ("FORM", "AIFC"): self = .library
        case ("fLaC", _), ("OggS", _), (".snd", _), ("caff", _), ("riff", _): self = .library
        case ("RIFF", _) where head.count == 12: self = .unsupported("RIFF, but not WAVE")
        default:
            if form.hasPrefix("ftyp") || head.dropFirst(4).starts(with: Array("ftyp".utf8)) {
                self = .unsupported("MPEG-4")
            } else if name.hasPrefix("ID3") || head.count > 1 && head[0] == 0xFF && head[1] & 0xE6 == 0xE2 {
                self = .unsupported("MP3")
            } else {
                self = .unknown
            }
        }
    }
}
