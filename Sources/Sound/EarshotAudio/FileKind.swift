/// The file kind that the first bytes of a stream indicate.
enum FileKind: Equatable {
    /// RIFF, RF64 or BW64 with WAVE inside, little-endian.
    case wav
    /// Any other kind: libsndfile decides whether it can read it. The name is for the error if it cannot.
    case other(name: String?)

    /// - Parameter head: the first 12 bytes, or all bytes of a shorter stream.
    init(head: [UInt8]) {
        let name = String(decoding: head.prefix(4), as: UTF8.self)
        let form = String(decoding: head.dropFirst(8).prefix(4), as: UTF8.self)
        switch (name, form) {
        case ("RIFF", "WAVE"), ("RF64", "WAVE"), ("BW64", "WAVE"): self = .wav
        case ("RIFF", _) where head.count == 12: self = .other(name: "RIFF, but not WAVE")
        default:
            if head.dropFirst(4).starts(with: Array("ftyp".utf8)) {
                self = .other(name: "MPEG-4 (M4A, MP4)")
            } else if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
                self = .other(name: "WebM or Matroska")
            } else if name.hasPrefix("ID3") || head.count > 1 && head[0] == 0xFF && head[1] & 0xE6 == 0xE2 {
                self = .other(name: "MP3")
            } else {
                self = .other(name: nil)
            }
        }
    }
}
