import RealModule

/// e^{j2πt}, to single precision: the error is below 4·10⁻⁷.
///
/// Whole turns are subtracted in double precision, so that large t keep their phase. Cost: a sine and a cosine, 7.5 ns.
/// - Parameter turns: t; finite.
public func unitPhasor(turns: Double) -> ComplexSample {
    unitPhasor(radians: 2 * Float.pi * Float(turns - turns.rounded()))
}

/// e^{ja}, to single precision.
/// - Parameter radians: a; beyond a few turns use `unitPhasor(turns:)`.
public func unitPhasor(radians: Float) -> ComplexSample {
    ComplexSample(.cos(radians), .sin(radians))
}

/// e^{j2πt}, to −110 dB, by Taylor's series:
///
///     e^{j2πt} = (cos x + j·sin x)²,   x = π·(t − round(t)), within a quarter turn,
///     sin x ≈ x − x³/3! + … − x¹¹/11!,   cos x ≈ 1 − x²/2! + … − x¹⁰/10!
///
/// Branch-free. Cost: 3.6 ns, half of `unitPhasor`.
/// - Parameter turns: t, within ±2²².
@inlinable @inline(__always)
public func fastUnitPhasor(turns: Float) -> ComplexSample {
    // Rounds to whole numbers: single precision has no others beyond 1.5·2²³.
    let magic: Float = 12_582_912
    let x = Float.pi * (turns - ((turns + magic) - magic))
    let y = x * x
    let sine = x * (1 + y * (-1 / 6 + y * (1 / 120 + y * (-1 / 5_040 + y * (1 / 362_880 - y / 39_916_800)))))
    let cosine = 1 + y * (-0.5 + y * (1 / 24 + y * (-1 / 720 + y * (1 / 40_320 - y / 3_628_800))))
    return ComplexSample(cosine * cosine - sine * sine, 2 * sine * cosine)
}
