import CSndFile

/// Readable names of libsndfile formats: "FLAC, signed 16 bit".
enum FormatName {
    static func text(_ format: CInt) -> String {
        "\(container(Int(format) & SF_FORMAT_TYPEMASK)), \(subtype(Int(format) & SF_FORMAT_SUBMASK))"
    }

    static func text(_ encoding: SampleEncoding) -> String {
        subtype(Int(encoding.rawFormatCode) & SF_FORMAT_SUBMASK)
    }

    private static func container(_ type: Int) -> String {
        switch type {
        case SF_FORMAT_WAV, SF_FORMAT_WAVEX: "WAV"
        case SF_FORMAT_RF64: "RF64"
        case SF_FORMAT_W64: "W64"
        case SF_FORMAT_FLAC: "FLAC"
        case SF_FORMAT_OGG: "Ogg"
        case SF_FORMAT_AIFF: "AIFF"
        case SF_FORMAT_AU: "AU"
        case SF_FORMAT_CAF: "CAF"
        case SF_FORMAT_RAW: "raw"
        default: libraryName(type) ?? "sound file"
        }
    }

    private static func subtype(_ subtype: Int) -> String {
        switch subtype {
        case SF_FORMAT_PCM_S8: "signed 8 bit"
        case SF_FORMAT_PCM_U8: "unsigned 8 bit"
        case SF_FORMAT_PCM_16: "signed 16 bit"
        case SF_FORMAT_PCM_24: "signed 24 bit"
        case SF_FORMAT_PCM_32: "signed 32 bit"
        case SF_FORMAT_FLOAT: "float 32 bit"
        case SF_FORMAT_DOUBLE: "float 64 bit"
        case SF_FORMAT_ULAW: "µ-law"
        case SF_FORMAT_ALAW: "A-law"
        case SF_FORMAT_VORBIS: "Vorbis"
        case SF_FORMAT_OPUS: "Opus"
        case SF_FORMAT_ALAC_16, SF_FORMAT_ALAC_20, SF_FORMAT_ALAC_24, SF_FORMAT_ALAC_32: "ALAC"
        default: libraryName(subtype) ?? "compressed"
        }
    }

    /// The name that libsndfile has for a container or an encoding.
    private static func libraryName(_ code: Int) -> String? {
        var information = SF_FORMAT_INFO()
        information.format = CInt(code)
        let size = CInt(MemoryLayout<SF_FORMAT_INFO>.size)
        guard sf_command(nil, CInt(SFC_GET_FORMAT_INFO), &information, size) == 0 else { return nil }
        return information.name.map { String(cString: $0) }
    }
}
