/// The header of a WAV, RF64 or BW64 stream, up to its first sample.
///
///     "RIFF" size "WAVE"  { id size body pad }…  "fmt " 16+ body…  "data" size samples…
///
/// libsndfile 1.2 reads most such headers too, from a pipe as well. The package parses them itself for what it loses:
///
/// - A header of a killed recorder, whose length is still 0: libsndfile delivers no sample, from a file either.
/// - A file that ends before its header says: libsndfile silently lowers the length, so `isTruncated` would not notice.
/// - RF64 from a pipe: libsndfile drops the last samples.
/// - Live sound: libsndfile waits until a request is full, `SoundFileReader` delivers the available samples.
///
/// The parser reads forward only, and no number in the header controls an allocation.
///
/// Sources: Multimedia Programming Interface and Data Specifications 1.0 (IBM, Microsoft 1991), RIFF WAVE;
/// EBU Tech 3306 v1.1 (RF64); ITU-R BS.2088-1 (BW64).
struct WAVHeader {
    /// The sample encoding; nil if the samples are compressed and left to libsndfile.
    var encoding: SampleEncoding?
    var sampleRateHertz = 0
    var channelCount = 0

    /// The size of all samples in bytes; nil if the writer did not know it.
    var dataByteCount: Int?

    /// "WAV" or "RF64".
    var containerName = "WAV"

    var bytesPerFrame: Int { (encoding?.bytesPerSample ?? 1) * channelCount }

    /// Whether a length field means "not known yet": 0xFFFFFFFF (ffmpeg), or 2 GiB less 64 KiB up to 2 GiB (SoX,
    /// arecord).
    private static func isPlaceholder(_ byteCount: Int) -> Bool {
        byteCount == 0xFFFF_FFFF || (0x7FFF_0000...0x8000_0000).contains(byteCount)
    }

    /// Consumes the header; the next byte of `stream` is the first sample byte.
    init(reading stream: ByteStream, path: String) throws(AudioError) {
        func cut() -> AudioError {
            if let code = stream.failure {
                return .system(code, operation: "read", path: path, fallback: .cannotRead)
            }
            return AudioError(
                .damaged, operation: "open", path: path, detail: "it ends within its header",
                advice: "Copy or record it again")
        }
        func damaged(_ detail: String) -> AudioError {
            AudioError(
                .damaged, operation: "open", path: path, detail: detail, advice: "Copy or record it again")
        }

        guard let riff = stream.take(12) else { throw cut() }
        let riffByteCount = riff.littleEndian(at: 4, bytes: 4)
        if riff[0] != UInt8(ascii: "R") || riff[2] != UInt8(ascii: "F") { containerName = "RF64" }

        var longDataByteCount: Int?
        var hasFormat = false
        while true {
            guard let chunk = stream.take(8) else { throw cut() }
            let size = chunk.littleEndian(at: 4, bytes: 4)
            switch String(decoding: chunk[..<4], as: UTF8.self) {
            case "ds64":
                guard size >= 16 else { throw damaged("its ds64 chunk has \(size) of at least 16 bytes") }
                guard let body = stream.take(16), stream.skip(size - 16 + size % 2) else { throw cut() }
                longDataByteCount = body.littleEndian(at: 8, bytes: 8)
            case "fmt ":
                guard size >= 16 else { throw damaged("its format chunk has \(size) of at least 16 bytes") }
                let kept = min(size, 40)
                guard let body = stream.take(kept), stream.skip(size - kept + size % 2) else { throw cut() }
                try readFormat(body, path: path)
                hasFormat = true
            case "data":
                guard hasFormat else { throw damaged("its samples come before their format") }
                if size == 0xFFFF_FFFF, let longDataByteCount {
                    dataByteCount = longDataByteCount > 0 ? longDataByteCount : nil
                } else if size == 0 {
                    // A killed recorder leaves 0. A file that is empty on purpose states it twice: the outer length
                    // ends here, or further chunks follow.
                    let rest = riffByteCount + 8 - stream.position
                    dataByteCount = rest > 0 && !Self.isPlaceholder(riffByteCount) ? 0 : nil
                } else {
                    dataByteCount = Self.isPlaceholder(size) ? nil : size
                }
                return
            default:
                guard stream.skip(size + size % 2) else { throw cut() }
            }
        }
    }

    /// Reads a `WAVEFORMATEX`, or the one inside a `WAVEFORMATEXTENSIBLE`.
    private mutating func readFormat(_ body: [UInt8], path: String) throws(AudioError) {
        channelCount = body.littleEndian(at: 2, bytes: 2)
        sampleRateHertz = body.littleEndian(at: 4, bytes: 4)
        if let refusal = StreamLimits.refusal(
            sampleRateHertz: sampleRateHertz, channelCount: channelCount, path: path)
        {
            throw refusal
        }
        let extensible = 0xFFFE
        var tag = body.littleEndian(at: 0, bytes: 2)
        if tag == extensible, body.count >= 26 { tag = body.littleEndian(at: 24, bytes: 2) }

        // A sample's container may be wider than its valid bits, which then are the highest ones.
        let bitsPerSample = body.littleEndian(at: 14, bytes: 2)
        let bytesPerFrame = body.littleEndian(at: 12, bytes: 2)
        var width = (bitsPerSample + 7) / 8
        if bytesPerFrame.isMultiple(of: channelCount), bytesPerFrame / channelCount > width {
            width = bytesPerFrame / channelCount
        }
        switch (tag, width) {
        case (1, 1): encoding = .u8
        case (1, 2): encoding = .s16le
        case (1, 3): encoding = .s24le
        case (1, 4): encoding = .s32le
        case (3, 4): encoding = .f32le
        case (3, 8): encoding = .f64le
        case (6, 1): encoding = .alaw
        case (7, 1): encoding = .ulaw
        case (1, _), (3, _):
            throw AudioError(
                .unsupported, operation: "open", path: path,
                detail: "its header claims \(tag == 1 ? "integer" : "float") samples of \(bitsPerSample) bits",
                advice: "Convert it to WAV with 16 bits")
        default: encoding = nil
        }
    }
}

extension [UInt8] {
    /// The little-endian number in `count` ≤ 8 bytes; a number that does not fit an Int becomes `Int.max`.
    fileprivate func littleEndian(at offset: Int, bytes count: Int) -> Int {
        var value: UInt64 = 0
        for index in (0..<count).reversed() { value = value << 8 | UInt64(self[offset + index]) }
        return Int(clamping: value)
    }
}
