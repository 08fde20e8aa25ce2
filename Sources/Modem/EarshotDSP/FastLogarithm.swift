/// log2(x), to 0.008 absolute: the exponent from the bits, the mantissa by a parabola through both ends.
///
///     log2(x) ≈ e + t·(1.3465 − 0.3465·t),   x = 2^e · (1 + t)
///
/// Branch-free, so that a loop of it becomes vector code. Cost: about 0.5 ns.
/// - Parameter x: positive, normal and finite.
@inlinable @inline(__always)
public func fastLog2(_ x: Float) -> Float {
    let bits = Int32(bitPattern: x.bitPattern)
    let exponent = Float((bits >> 23) &- 127)
    let mantissa = Float(bitPattern: UInt32(bitPattern: bits & 0x007F_FFFF | 0x3F80_0000))
    let t = mantissa - 1
    return exponent + t * (1.346_5 - 0.346_5 * t)
}

/// ln(x) = ln 2 · log2(x), to 0.006 absolute; see `fastLog2`.
/// - Parameter x: positive, normal and finite.
@inlinable @inline(__always)
public func fastLog(_ x: Float) -> Float {
    0.693_147_2 * fastLog2(x)
}
