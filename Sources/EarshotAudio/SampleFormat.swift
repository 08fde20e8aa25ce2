/// How the samples of a file we write are stored, little-endian.
public enum SampleFormat: String, CaseIterable, Sendable {
    /// Signed integers of 16 bits; ±1 is full scale, one step is 2⁻¹⁵.
    case s16
    /// Signed integers of 24 bits; one step is 2⁻²³.
    case s24
    /// IEEE 754 floats of 32 bits: every sample as it is, beyond ±1 too.
    case f32

    /// The size of one sample in the file.
    public var bytesPerSample: Int {
        switch self {
        case .s16: 2
        case .s24: 3
        case .f32: 4
        }
    }
}
