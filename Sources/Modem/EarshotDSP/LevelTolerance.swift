/// The part of a deviation of the noise level that counts: the part beyond 3 dB.
///
///     beyond(b) = b − min(max(b, −1), 1)     b: log2 of a level over another one
///
/// A level is measured from the energies of some tens of tones at one time. In steady noise the logarithms of M
/// energies, whose deviation is π/√6 nepers each, give it to 1 dB (M = 32), 1.4 dB (M = 16) or 0.7 dB (M = 64), so a
/// tolerance of 3 dB does not affect steady noise. The function is continuous: at the tolerance its value is 0, as
/// within it.
package enum LevelTolerance {
    /// The tolerance to either side, as log2.
    private static let bits: Float = 1

    /// The part of a deviation in bits that is beyond the tolerance; 0 within it.
    package static func beyond(_ deviation: Float) -> Float {
        deviation - min(max(deviation, -bits), bits)
    }
}
