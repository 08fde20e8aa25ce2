import CSndFile

/// The encoding of samples in a `RawFormat` or a plain WAV.
public enum SampleEncoding: String, CaseIterable, Sendable {
    /// Unsigned integers of 8 bits, silence is 128.
    case u8
    /// Signed integers of 8 bits.
    case s8
    /// Signed integers of 16 bits, little-endian.
    case s16le
    /// Signed integers of 16 bits, big-endian.
    case s16be
    /// Signed integers of 24 bits in 3 bytes, little-endian.
    case s24le
    /// Signed integers of 24 bits in 3 bytes, big-endian.
    case s24be
    /// Signed integers of 32 bits, little-endian.
    case s32le
    /// Signed integers of 32 bits, big-endian.
    case s32be
    /// IEEE 754 floats of 32 bits, little-endian.
    case f32le
    /// IEEE 754 floats of 32 bits, big-endian.
    case f32be
    /// IEEE 754 floats of 64 bits, little-endian.
    case f64le
    /// IEEE 754 floats of 64 bits, big-endian.
    case f64be
    /// G.711 µ-law, 8 bits.
    case ulaw
    /// G.711 A-law, 8 bits.
    case alaw

    /// The size of one sample in bytes: 1, 2, 3, 4 or 8.
    public var bytesPerSample: Int {
        switch self {
        case .u8, .s8, .ulaw, .alaw: 1
        case .s16le, .s16be: 2
        case .s24le, .s24be: 3
        case .s32le, .s32be, .f32le, .f32be: 4
        case .f64le, .f64be: 8
        }
    }

    /// The libsndfile format number of a headerless file in this encoding.
    var rawFormatCode: CInt {
        let endianness =
            switch self {
            case .u8, .s8, .ulaw, .alaw: 0
            case .s16le, .s24le, .s32le, .f32le, .f64le: SF_ENDIAN_LITTLE
            case .s16be, .s24be, .s32be, .f32be, .f64be: SF_ENDIAN_BIG
            }
        return CInt(SF_FORMAT_RAW | endianness | subtypeCode)
    }

    private var subtypeCode: Int {
        switch self {
        case .u8: SF_FORMAT_PCM_U8
        case .s8: SF_FORMAT_PCM_S8
        case .s16le, .s16be: SF_FORMAT_PCM_16
        case .s24le, .s24be: SF_FORMAT_PCM_24
        case .s32le, .s32be: SF_FORMAT_PCM_32
        case .f32le, .f32be: SF_FORMAT_FLOAT
        case .f64le, .f64be: SF_FORMAT_DOUBLE
        case .ulaw: SF_FORMAT_ULAW
        case .alaw: SF_FORMAT_ALAW
        }
    }
}
