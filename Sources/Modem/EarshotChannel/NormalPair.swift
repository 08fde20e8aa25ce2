/// Two independent normally distributed numbers from two uniform ones, by the polar form of Box and Muller.
///
///     (g₁, g₂) = √(−2 ln u)·(cos 2πv, sin 2πv),   u in (0, 1], v in [0, 1), both multiples of 2⁻²⁴
///
/// It uses only additions and multiplications, without a branch. So a loop of it becomes vector code, and the rounding
/// is the same on every machine, unlike that of a mathematics library's logarithm and sine. Error: at most 2.4·10⁻⁷ of
/// the radius.
@inline(__always)
func normalPair(_ u: Float, _ v: Float) -> (Float, Float) {
    // Not −2·ln u, which is −0 for u = 1.
    let radius = squareRoot(0 - 2 * naturalLogarithm(u))
    let (cosine, sine) = cosineAndSine(turns: v)
    return (radius * cosine, radius * sine)
}

// 1.5·2²³: a small number plus this has its nearest integer in the last bits. Conversions would prevent vector code.
@inline(__always) private var integerOffset: Float { 12_582_912 }

/// ln x = e·ln 2 + ln m,   x = m·2^e, m from √½ to √2
///
/// and with f = m − 1, ln m = f − f²/2 + f³·P(f). P interpolates at the Chebyshev nodes, with an error of 1.4·10⁻⁸.
@inline(__always)
private func naturalLogarithm(_ x: Float) -> Float {
    let rootOfHalfBits: UInt32 = 0x3F35_04F3
    // The bits above those of √½: the last ones of m, and from bit 23 on the exponent, with a sign.
    let above = x.bitPattern &- rootOfHalfBits
    let exponentBits = UInt32(bitPattern: Int32(bitPattern: above) &>> 23)
    let exponent = Float(bitPattern: integerOffset.bitPattern &+ exponentBits) - integerOffset
    let f = Float(bitPattern: (above & 0x007F_FFFF) &+ rootOfHalfBits) - 1
    var p: Float = -0.079_027_437
    p = p * f + 0.126_223_19
    p = p * f - 0.129_981_83
    p = p * f + 0.142_144_96
    p = p * f - 0.166_412_82
    p = p * f + 0.200_010_45
    p = p * f - 0.250_003_07
    p = p * f + 0.333_333_31
    return exponent * 0.693_147_18 + (f - f * f * (0.5 - f * p))
}

/// √x for x ≥ 0: Newton's iteration for 1/√x, from half the exponent, and one step for the root itself.
@inline(__always)
private func squareRoot(_ x: Float) -> Float {
    let half = 0.5 * x
    var y = Float(bitPattern: 0x5F37_59DF &- x.bitPattern &>> 1)
    // The error falls from 3.5 % to 1.8e-3, 5e-6 and single precision. For x = 0, y grows to 5e19, and the factor 0
    // removes it.
    y = y * (1.5 - half * y * y)
    y = y * (1.5 - half * y * y)
    y = y * (1.5 - half * y * y)
    let root = x * y
    return root + 0.5 * y * (x - root * root)
}

/// cos 2πv and sin 2πv, from those of r·π/2, the distance of v from the nearest quarter turn: |r| ≤ ½, exact in these
/// 24 bits.
///
/// The polynomials in r² interpolate at the Chebyshev nodes, with an error of 5·10⁻⁹.
@inline(__always)
private func cosineAndSine(turns v: Float) -> (Float, Float) {
    let quarters = 4 * v
    let shifted = quarters + integerOffset
    let quadrant = shifted.bitPattern
    let r = quarters - (shifted - integerOffset)
    let s = r * r
    let sine = r * (1.570_796_32 + s * (-0.645_963_48 + s * (0.079_680_22 - s * 0.004_602_15)))
    let cosine = 1 + s * (-1.233_700_55 + s * (0.253_669_41 + s * (-0.020_861_528 + s * 0.000_906_739_9)))
    let isOdd = quadrant & 1 == 1
    return (
        (isOdd ? sine : cosine).negated(ifBitOne: quadrant &+ 1),
        (isOdd ? cosine : sine).negated(ifBitOne: quadrant)
    )
}

extension Float {
    /// The number, negated if bit 1 of `bits` is set.
    @inline(__always)
    fileprivate func negated(ifBitOne bits: UInt32) -> Float {
        Float(bitPattern: bitPattern ^ (bits & 2) &<< 30)
    }
}
