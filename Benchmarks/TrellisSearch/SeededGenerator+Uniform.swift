import EarshotBasics
import EarshotChannel

extension SeededGenerator {
    /// Uniform in 0 < u < 1, 53 bits.
    mutating func nextUniform() -> Double {
        (Double(next() >> 11) + 0.5) * 0x1p-53
    }
}
