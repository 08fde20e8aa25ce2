import CSndFile

/// Writes FLAC, which EarshotAudio only reads.
enum FLACFile {
    /// - Parameters:
    ///   - samples: one channel at 48 kHz, full scale 1; kept with 16 bits.
    ///   - path: the file.
    static func write(_ samples: [Float], to path: String) throws {
        var info = SF_INFO()
        info.samplerate = 48_000
        info.channels = 1
        info.format = CInt(SF_FORMAT_FLAC) | CInt(SF_FORMAT_PCM_16)
        guard let file = sf_open(path, CInt(SFM_WRITE), &info) else {
            throw PeerError("cannot write \(path): \(String(cString: sf_strerror(nil)))")
        }
        defer { sf_close(file) }
        let written = sf_writef_float(file, samples, sf_count_t(samples.count))
        guard written == samples.count else { throw PeerError("cannot write all of \(path)") }
    }
}
