extension AudioError {
    /// The error for a file, or a pipe, without a byte.
    static func emptyContent(path: String) -> AudioError {
        AudioError(
            .empty, operation: "open", path: path, detail: "it is empty",
            advice: "Check that the recording was started, and finished")
    }

    /// The error for content that libsndfile does not read.
    /// - Parameters:
    ///   - head: its first bytes.
    ///   - name: the kind of the content, if it is known.
    static func unknownContent(_ head: [UInt8], name: String?, path: String) -> AudioError {
        if let name {
            return AudioError(
                .unsupported, operation: "open", path: path,
                detail: "its content is \(name), which the libsndfile of this system does not read",
                advice:
                    "Convert it to WAV or FLAC, or decode it through a pipe: ffmpeg -i FILE -f wav - | earshot decode; tokens "
                    + "survive only a codec that keeps 18.5 to 20 kHz")
        }
        let isText = head.allSatisfy { (0x20..<0x7F).contains($0) || (0x09...0x0D).contains($0) }
        let line = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
        let start =
            isText && line.contains { !$0.isWhitespace }
            ? "begins with the text \"\(line)\""
            : "begins with the bytes \(head.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " "))"
        return AudioError(
            .notAudio, operation: "open", path: path, detail: "it is not a sound file: it \(start)",
            advice:
                "Give a WAV or FLAC file; for raw samples 'decode' and 'inspect' take --raw, such as --raw s16le:48000")
    }
}
