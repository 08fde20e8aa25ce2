import EarshotChannel
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct SoundInAirTests {
    /// ISO 9613-1:1993, table 1, in dB/km at one atmosphere, computed for exact third-octave frequencies 1000·10^(k/10)
    /// and printed with three digits; and ISO 9613-2:1996, table 2, computed in the same way and printed with one
    /// decimal.
    @Test(
        arguments: [
            (-20, 10, -13, 0.589, 0.000_5), (20, 15, 8, 175, 0.5), (20, 80, -13, 0.050_1, 0.000_05),
            (20, 80, 0, 5.15, 0.005), (20, 80, 10, 105, 0.5),
            (10, 70, 9, 116.9, 0.05), (20, 70, 9, 76.6, 0.05), (30, 70, 9, 59.3, 0.05), (15, 20, 3, 28.2, 0.05),
            (15, 50, 6, 36.2, 0.05), (15, 80, 9, 82.8, 0.05),
        ] as [(Double, Double, Int, Double, Double)])
    func absorptionIsThatOfTheStandard(row: (celsius: Double, humidity: Double, k: Int, table: Double, last: Double)) {
        let hertz = 1_000 * Double.pow(10, Double(row.k) / 10)
        let absorption = SoundInAir.absorptionDecibelsPerMetre(
            hertz: hertz, celsius: row.celsius, humidityPercent: row.humidity)
        // A tenth more than half the last digit, because the table was computed from rounded constants.
        #expect(abs(1_000 * absorption - row.table) < 1.1 * row.last, "\(1_000 * absorption) dB/km")
    }

    /// The values that the project assumes: 0.37 to 0.60 dB/m in the band, at 20 °C and 30 to 70 % humidity.
    @Test(arguments: [18_500, 19_250, 20_000] as [Double], [30, 40, 50, 60, 70] as [Double])
    func absorptionInTheBand(hertz: Double, humidityPercent: Double) {
        let absorption = SoundInAir.absorptionDecibelsPerMetre(hertz: hertz, humidityPercent: humidityPercent)
        #expect((0.365...0.605).contains(absorption), "\(absorption) dB/m")
    }

    /// At half the pressure: α(f, p) = p·α(f/p) at the same share of water, which is half the humidity.
    @Test func pressureScalesFrequencies() {
        let thin = SoundInAir.absorptionDecibelsPerMetre(hertz: 10_000, humidityPercent: 30, kilopascals: 101.325 / 2)
        let dense = SoundInAir.absorptionDecibelsPerMetre(hertz: 20_000, humidityPercent: 60)
        #expect(abs(thin / (dense / 2) - 1) < 1e-9)
    }
}
