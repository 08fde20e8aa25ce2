import RealModule

/// The propagation of sound in air.
public enum SoundInAir {
    /// c, the speed of sound at 20 °C, in metres a second.
    public static let metresPerSecond = 343.0

    /// The absorption of sound by air.
    ///
    ///     α = 8.686·f²·[1.84e−11·(p/pᵣ)⁻¹·√θ
    ///             + θ^(−5/2)·(0.01275·e^(−2239.1/T)/(fO + f²/fO) + 0.1068·e^(−3352/T)/(fN + f²/fN))],   θ = T/293.15
    ///
    /// fO and fN are the relaxation frequencies of oxygen and nitrogen, which depend on the percentage of water
    /// molecules. At 20 °C and 50 %: 0.46 dB/m at 18.5 kHz, 0.52 dB/m at 20 kHz. The standard's tables end at 10 kHz;
    /// its formula covers ultrasound too.
    ///
    /// Source: ISO 9613-1:1993, formulas 3 to 5, B.2 and B.3.
    /// - Parameters:
    ///   - hertz: f.
    ///   - celsius: the temperature, −20 to 50 °C.
    ///   - humidityPercent: the relative humidity, 10 to 100 %.
    ///   - kilopascals: p, the pressure.
    /// - Returns: the absorption in decibels a metre.
    public static func absorptionDecibelsPerMetre(
        hertz: Double, celsius: Double = 20, humidityPercent: Double = 50, kilopascals: Double = 101.325
    ) -> Double {
        let kelvin = celsius + 273.15
        let pressure = kilopascals / 101.325
        let theta = kelvin / 293.15
        let saturation = Double.pow(10, 4.615_1 - 6.834_6 * .pow(273.16 / kelvin, 1.261))
        let water = humidityPercent * saturation / pressure
        let oxygen = pressure * (24 + 4.04e4 * water * (0.02 + water) / (0.391 + water))
        let nitrogen =
            pressure / theta.squareRoot() * (9 + 280 * water * .exp(-4.170 * (.pow(theta, -1.0 / 3) - 1)))
        let squared = hertz * hertz
        let classical = 1.84e-11 / pressure * theta.squareRoot()
        let relaxation =
            0.012_75 * Double.exp(-2_239.1 / kelvin) / (oxygen + squared / oxygen)
            + 0.106_8 * Double.exp(-3_352 / kelvin) / (nitrogen + squared / nitrogen)
        return 8.686 * squared * (classical + .pow(theta, -2.5) * relaxation)
    }
}
