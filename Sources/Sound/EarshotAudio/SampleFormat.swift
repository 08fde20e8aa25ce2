/// The sample format of a WAV that this package writes, little-endian.
public enum SampleFormat: String, CaseIterable, Sendable {
    /// Signed integers of 16 bits; ±1 is full scale, one step is 2⁻¹⁵.
    case s16
    /// Signed integers of 24 bits; ±1 is full scale, one step is 2⁻²³.
    case s24
    /// IEEE 754 floats of 32 bits: every sample unchanged, including values beyond ±1.
    case f32

    /// The size of one sample in the file, in bytes: 2, 3 or 4.
    public var bytesPerSample: Int {
        switch self {
        case .s16: 2
        case .s24: 3
        case .f32: 4
        }
    }
}
