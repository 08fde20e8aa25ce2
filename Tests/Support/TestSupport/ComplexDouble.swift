import RealModule

/// A complex number in double precision: x is the real part, y the imaginary one.
public typealias ComplexDouble = SIMD2<Double>

extension SIMD2 where Scalar == Double {
    /// |z|².
    public var power: Double { x * x + y * y }

    /// self · z, the complex product.
    public func times(_ z: ComplexDouble) -> ComplexDouble {
        ComplexDouble(x * z.x - y * z.y, x * z.y + y * z.x)
    }

    /// e^{j2π·turns}.
    public static func phasor(turns: Double) -> ComplexDouble {
        let angle = 2 * Double.pi * (turns - turns.rounded())
        return ComplexDouble(.cos(angle), .sin(angle))
    }
}
