import CEarshotKernels
import RealModule

extension Downconverter {
    /// The coefficients for one pair of rates. Any number of converters can share a design.
    public struct Design: Sendable {
        /// F: input samples a second.
        public let inputRateHertz: Int
        /// F': output samples a second.
        public let outputRateHertz: Int
        /// The taps of each phase; a multiple of 32.
        public let tapCount: Int
        /// F/F' = advance / phaseCount, in lowest terms.
        let advance: Int
        let phaseCount: Int
        /// The number of phases with their own taps; the others use those of a neighbour. Less than `phaseCount` only
        /// for rates that share no large divisor with F', such as 47,999 Hz.
        let tabulatedPhaseCount: Int
        /// Cosine taps and sine taps of each tabulated phase; shape [tabulatedPhaseCount][2][tapCount].
        let taps: [Float]
        /// The same taps times a scale, rounded.
        let integerTaps: [Int16]
        /// The number of outputs after which e^{−jω·t[n]} repeats.
        let rotationPeriod: Int
        /// 2·e^{−jω·t[n]}, for one period and the next seven outputs.
        let rotations: [ComplexSample]
        /// The same over the scale of the integer taps and that of integer samples, 2¹⁵.
        let integerRotations: [ComplexSample]
        /// The kernels' view of the filter.
        let filter: earshot_polyphase

        /// Designs the filter for one pair of rates.
        /// - Parameters:
        ///   - inputRateHertz: F, the rate of the real samples; above twice the upper edge of the passband.
        ///   - outputRateHertz: F', the rate of the complex baseband.
        ///   - centreHertz: f₀.
        ///   - passbandHertz: the width of the passband on either side of f₀. The stopband begins `outputRateHertz` −
        ///     `passbandHertz` from f₀: frequencies beyond fold back into the passband.
        public init(inputRateHertz: Int, outputRateHertz: Int, centreHertz: Int, passbandHertz: Double) {
            precondition(
                Double(centreHertz) + passbandHertz < Double(inputRateHertz) / 2,
                "\(inputRateHertz) Hz cannot carry \(centreHertz) Hz")
            self.inputRateHertz = inputRateHertz
            self.outputRateHertz = outputRateHertz
            let divisor = greatestCommonDivisor(inputRateHertz, outputRateHertz)
            advance = inputRateHertz / divisor
            phaseCount = outputRateHertz / divisor
            // Rounding a fraction of a sample by up to 1/512 at 48 kHz causes less than −44 dB of phase noise at 20 kHz.
            tabulatedPhaseCount = min(phaseCount, max(16, 512 * 48_000 / inputRateHertz))
            let spanSamples = Design.filterSpanSeconds * Double(inputRateHertz)
            tapCount = Int((spanSamples / 32).rounded(.up)) * 32

            let window = KaiserWindow(attenuationDecibels: 60)
            let cutoff = Double(outputRateHertz) / 2 / Double(inputRateHertz)
            let omega = 2 * Double.pi * Double(centreHertz) / Double(inputRateHertz)
            let centreTap = Double(tapCount / 2 - 1)
            var taps: [Float] = []
            taps.reserveCapacity(2 * tapCount * tabulatedPhaseCount)
            for phase in 0..<tabulatedPhaseCount {
                let fraction = Double(phase) / Double(tabulatedPhaseCount)
                let instants = (0..<tapCount).map { Double($0) - centreTap - fraction }
                let lowpass = instants.map { u in
                    window(2 * u / spanSamples) * sincLowpass(u, cutoff: cutoff)
                }
                // Gives every phase unit gain at f₀, regardless of the part that the window cut off.
                let gain = 1 / lowpass.reduce(0, +)
                taps += zip(lowpass, instants).map { Float(gain * $0 * .cos(omega * $1)) }
                taps += zip(lowpass, instants).map { Float(-gain * $0 * .sin(omega * $1)) }
            }
            self.taps = taps
            let scale = Design.integerScale(taps, tapCount: tapCount)
            integerTaps = taps.map { Int16(($0 * scale).rounded()) }

            let period = outputRateHertz / greatestCommonDivisor(centreHertz, outputRateHertz)
            let rotations = (0..<period + 7).map { n in
                let turns = Double(centreHertz * (n % period) % outputRateHertz) / Double(outputRateHertz)
                return ComplexSample(Float(2 * Double.cos(2 * .pi * turns)), Float(-2 * Double.sin(2 * .pi * turns)))
            }
            self.rotations = rotations
            integerRotations = rotations.map { $0 * (0x1p-15 / scale) }
            rotationPeriod = period
            filter = earshot_polyphase(
                tap_count: tapCount, table_count: tabulatedPhaseCount, phase_count: phaseCount, advance: advance,
                rotation_count: period)
        }

        /// The scale of the integer taps: as large as exact sums allow, see `earshot_filter_integers`.
        private static func integerScale(_ taps: [Float], tapCount: Int) -> Float {
            let groupCount = 4
            var greatestSum: Float = 0
            for row in stride(from: 0, to: taps.count, by: tapCount) {
                for group in 0..<groupCount {
                    var sum: Float = 0
                    for tap in 0..<tapCount where tap / 8 % groupCount == group {
                        sum += abs(taps[row + tap])
                    }
                    greatestSum = max(greatestSum, sum)
                }
            }
            // Rounding adds up to a half to each tap.
            let room = Float(Int16.max) * 2 - Float(tapCount / groupCount)
            let greatestTap = taps.reduce(0) { max($0, abs($1)) }
            return min(room / greatestSum, Float(Int16.max) / greatestTap)
        }

        /// The length of the filter: 128 taps at 48 kHz. For a 3 kHz output Kaiser's formula gives 60 dB from ±815 Hz
        /// to 2,185 Hz. At ±850 Hz the gain is still within 0.03 dB, and frequencies that fold onto the band's edge are
        /// 58 dB down.
        static let filterSpanSeconds = 128.0 / 48_000
    }
}
