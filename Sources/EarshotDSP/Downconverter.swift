import CEarshotKernels
import RealModule

/// Real samples at any rate to complex baseband: mix to zero, low-pass and decimate in one polyphase filter.
///
///     y[n] = 2·e^{−jω·t[n]} · Σₖ x[k]·h(k − t[n])·e^{−jω·(k − t[n])},   t[n] = n·F/F',   ω = 2π·f₀/F
///
/// F is the input rate, F' the output rate, f₀ the centre, h a Kaiser-windowed sinc that is `filterSpanSeconds` long.
/// A sine of amplitude 1 at f₀ comes out with |y| = 1. Where F/F' is a fraction p/q the filter has q phases, so
/// 44.1 kHz becomes 3 kHz exactly and no second resampler follows. NaN counts as silence, and all other values are limited
/// to ±`maximumMagnitude`, so that bad input cannot poison later stages.
///
/// The caller skips lost input, at no cost: time goes on, and the outputs whose filter touches the hole are lost too, so
/// that its edges do not click.
///
/// Delay: y[n] needs the input up to half a filter after t[n]. Any split of the input gives the same output.
/// Cost: two multiplications a tap; 128 taps at 48 kHz.
public struct Downconverter: ~Copyable {
    /// The coefficients for one pair of rates. Any number of converters share one design.
    public struct Design: Sendable {
        /// F: input samples a second.
        public let inputRateHertz: Int
        /// F': output samples a second.
        public let outputRateHertz: Int
        /// The taps of each phase; a multiple of 8.
        public let tapCount: Int
        /// F/F' = advance / phaseCount, in lowest terms.
        let advance: Int
        let phaseCount: Int
        /// The number of phases that have taps of their own; the others borrow those of a neighbour. Less than
        /// `phaseCount` only for rates that share no large divisor with F', such as 47,999 Hz.
        let tabulatedPhaseCount: Int
        /// Cosine taps and sine taps of each tabulated phase; shape [tabulatedPhaseCount][2][tapCount].
        let taps: [Float]
        /// One period of 2·e^{−jω·t[n]}.
        let rotations: [ComplexSample]

        /// Designs the filter for one pair of rates.
        /// - Parameters:
        ///   - inputRateHertz: F, the rate of the real samples; above twice the upper edge of the passband.
        ///   - outputRateHertz: F', the rate of the complex baseband.
        ///   - centreHertz: f₀.
        ///   - passbandHertz: the width of the passband on either side of f₀. The stopband begins
        ///     `outputRateHertz` − `passbandHertz` beside f₀: what lies beyond folds back into the passband.
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
            tapCount = Int((spanSamples / 8).rounded(.up)) * 8

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
                // Gives every phase unit gain at f₀, whatever the window cut off.
                let gain = 1 / lowpass.reduce(0, +)
                taps += zip(lowpass, instants).map { Float(gain * $0 * .cos(omega * $1)) }
                taps += zip(lowpass, instants).map { Float(-gain * $0 * .sin(omega * $1)) }
            }
            self.taps = taps

            let period = outputRateHertz / greatestCommonDivisor(centreHertz, outputRateHertz)
            rotations = (0..<period).map { n in
                let turns = Double(centreHertz * n % outputRateHertz) / Double(outputRateHertz)
                return ComplexSample(Float(2 * Double.cos(2 * .pi * turns)), Float(-2 * Double.sin(2 * .pi * turns)))
            }
        }

        /// The length of the filter: 128 taps at 48 kHz. For a 3 kHz output Kaiser's formula gives 60 dB from ±815 Hz to
        /// 2,185 Hz. At ±850 Hz the gain is still within 0.03 dB, and what folds onto the band's edge is 58 dB down.
        static let filterSpanSeconds = 128.0 / 48_000
    }

    /// The limit of input values: 40 dB above full scale, far below the values whose squares overflow single precision.
    public static let maximumMagnitude: Float = 100
    /// The maximum number of input samples in one call of `process`.
    public static let maximumInputCount = 4_096

    private let design: Design
    private var input: [Float]
    private var filled: Int
    private var phase = 0
    private var rotation = 0
    /// The number of samples at the front of `input` that were lost, or stand before a lost one.
    private var lostInputCount = 0
    /// The number of outputs at the start of the last call of `process` whose filter touched skipped input: they are not valid.
    public private(set) var lostOutputCount = 0

    /// Makes a converter at the start of its input. The time before counts as silence.
    public init(_ design: Design) {
        self.design = design
        // The first output lies at the first input sample, so half a filter of silence stands before it.
        filled = design.tapCount / 2 - 1
        input = [Float](
            repeating: 0,
            count: design.tapCount + Downconverter.maximumInputCount + design.advance / design.phaseCount + 1)
    }

    /// The maximum number of output samples of one call of `process`.
    public var maximumOutputCount: Int {
        input.count * design.phaseCount / design.advance + 1
    }

    /// Takes all of x and makes as much output as the input allows.
    /// - Parameters:
    ///   - x: input, at most `maximumInputCount` samples; full scale is 1.
    ///   - y: receives the output; shape [`maximumOutputCount`].
    /// - Returns: the number of output samples made.
    public mutating func process(_ x: Span<Float>, into y: inout [ComplexSample]) -> Int {
        makeRoom(x.count)
        let start = filled - x.count
        x.withUnsafeBufferPointer { new in
            input.withUnsafeMutableBufferPointer { all in
                earshot_limit(new.baseAddress, new.count, Downconverter.maximumMagnitude, all.baseAddress! + start)
            }
        }
        return convert(into: &y)
    }

    /// Takes integers instead, whose full scale is 2¹⁵. The output is that of the same samples as floats, bit by bit.
    public mutating func process(_ x: Span<Int16>, into y: inout [ComplexSample]) -> Int {
        makeRoom(x.count)
        let start = filled - x.count
        x.withUnsafeBufferPointer { new in
            input.withUnsafeMutableBufferPointer { all in
                earshot_floats_from_int16(new.baseAddress, new.count, all.baseAddress! + start)
            }
        }
        return convert(into: &y)
    }

    private mutating func makeRoom(_ count: Int) {
        precondition(
            count <= Downconverter.maximumInputCount, "\(count) samples, at most \(Downconverter.maximumInputCount)")
        filled += count
    }

    /// Makes as much output as the input allows.
    private mutating func convert(into y: inout [ComplexSample]) -> Int {
        let touchedCount = lostInputCount > 0 ? outputCount(before: lostInputCount) : 0
        let produced = outputCount(before: filled - design.tapCount + 1)
        precondition(produced <= y.count, "\(produced) samples made, room for \(y.count)")
        let design = design
        design.rotations.withUnsafeBufferPointer { rotations in
            y.withUnsafeMutableBufferPointer { y in
                earshot_polyphase(
                    input, design.taps, design.tapCount, design.tabulatedPhaseCount, design.phaseCount, design.advance,
                    phase, rotations.baseAddress!.pairs, rotations.count, rotation, y.baseAddress?.pairs, produced)
            }
        }
        rotation = (rotation + produced) % design.rotations.count
        phase += produced * design.advance
        let first = phase / design.phaseCount
        phase %= design.phaseCount
        discard(first)
        lostInputCount = max(lostInputCount - first, 0)
        lostOutputCount = min(touchedCount, produced)
        return produced
    }

    /// Passes over lost input. The cost does not depend on the length of the hole.
    /// - Parameter sampleCount: the number of lost samples; 0 or more.
    /// - Returns: the number of outputs that this input would have made. All of them are lost; the next output of `process`
    ///   follows them in time.
    public mutating func skip(_ sampleCount: Int) -> Int {
        guard sampleCount > 0 else { return 0 }
        let (advance, phaseCount, period) = (design.advance, design.phaseCount, design.rotations.count)
        // After each `advance` of input the filter is in the same phase again.
        let (periods, rest) = sampleCount.quotientAndRemainder(dividingBy: advance)
        let produced = outputCount(before: filled + rest - design.tapCount + 1)
        rotation = (rotation + periods * phaseCount % period + produced) % period
        phase += produced * advance
        filled += rest - phase / phaseCount
        phase %= phaseCount
        lostInputCount = filled
        return periods * phaseCount + produced
    }

    /// The number of next outputs that begin before `input`[index].
    private func outputCount(before index: Int) -> Int {
        index > 0 ? (index * design.phaseCount - phase + design.advance - 1) / design.advance : 0
    }

    private mutating func discard(_ count: Int) {
        // The advance is far shorter than the filter, so it never exceeds the filled part.
        let kept = filled - count
        filled = kept
        var room = input.mutableSpan
        for index in 0..<kept {
            room[index] = room[index + count]
        }
    }
}

/// The ideal low-pass: 2·c·sinc(2·c·u) for a cutoff of c cycles a sample.
func sincLowpass(_ u: Double, cutoff c: Double) -> Double {
    u == 0 ? 2 * c : .sin(2 * .pi * c * u) / (.pi * u)
}

/// The greatest common divisor of two positive numbers.
func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
    b == 0 ? a : greatestCommonDivisor(b, a % b)
}
