import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct DownconverterTests {
    static let rates = [44_100, 47_999, 48_000, 88_200, 96_000, 176_400, 192_000]

    private func design(_ rate: Int) -> Downconverter.Design {
        Downconverter.Design(inputRateHertz: rate, outputRateHertz: 3_000, centreHertz: 19_250, passbandHertz: 850)
    }

    private func convert(_ x: [Float], _ design: Downconverter.Design, pieces: [Range<Int>]? = nil) -> [ComplexSample] {
        var converter = Downconverter(design)
        var y: [ComplexSample] = []
        var block = [ComplexSample](repeating: ComplexSample(), count: converter.maximumOutputCount)
        let whole = stride(from: 0, to: x.count, by: 4096).map { $0..<min($0 + 4096, x.count) }
        for piece in pieces ?? whole {
            let produced = converter.process(x.span.extracting(piece), into: &block)
            y += block[..<produced]
        }
        return y
    }

    private func sine(_ hertz: Double, rate: Int, count: Int, turns: Double = 0) -> [Float] {
        (0..<count).map { n in
            let phase = hertz * Double(n) / Double(rate) + turns
            return Float(Double.cos(2 * .pi * (phase - phase.rounded())))
        }
    }

    /// The first output that is half a filter (1.33 ms, 4 samples of output) or more after the input's start.
    private let settled = 5

    /// A tone at 19,250 Hz + f comes out as e^{j2π(ft + φ)}, t[n] = n/3000 s: right in amplitude, frequency and phase.
    ///
    /// Tolerance: the filter's ripple is 60 dB down, 0.001, and unit gain is enforced at f = 0, which can double it. By
    /// Kaiser's formula 128 taps at 48 kHz take (60 − 7.95)/(14.36 · 127) · 48,000 = 1,370 Hz from passband to
    /// stopband. Half of that on either side of 1,500 Hz leaves a passband of ±815 Hz. Beyond, up to 850 Hz, 0.03 dB
    /// are allowed. At 47,999 Hz the taps exist only for multiples of 1/512 of a sample, which adds up to
    /// 2π·20,100/47,999/512 = 0.005 of phase.
    @Test(arguments: rates)
    func tonesKeepAmplitudeAndPhase(rate: Int) {
        let design = design(rate)
        let roundedPhase = rate == 47_999 ? 0.005_2 : 0
        for f in stride(from: -850.0, through: 850, by: 42.5) {
            let y = convert(sine(19_250 + f, rate: rate, count: rate / 20, turns: 0.3), design)
            let tolerance = roundedPhase + (abs(f) <= 815 ? 0.002 : 0.003_5)
            #expect(y.count > 140)
            for n in settled..<y.count {
                let expected = ComplexDouble.phasor(turns: f * Double(n) / 3_000 + 0.3)
                let error = (ComplexDouble(y[n]) - expected).power.squareRoot()
                #expect(error <= tolerance, "sample \(n) at \(f) Hz")
            }
        }
    }

    /// A pulse keeps its time: t[n] = n/3000 s holds for the envelope, not only for the carrier.
    @Test(arguments: rates)
    func pulsesKeepTheirTime(rate: Int) {
        let middle = 0.0250
        // 2 ms of deviation in time are 80 Hz in frequency, far inside the passband.
        let deviation = 0.002
        let x = (0..<rate / 20).map { n in
            let t = Double(n) / Double(rate) - middle
            return Float(.exp(-t * t / (2 * deviation * deviation)) * .cos(2 * .pi * 19_250 * t))
        }
        let y = convert(x, design(rate)).map { ComplexDouble($0).power }
        let weight = y.reduce(0, +)
        let centre = zip(y, 0...).reduce(0) { $0 + $1.0 * Double($1.1) } / weight / 3_000
        // A tenth of an input sample at 48 kHz is 2 µs.
        #expect(abs(centre - middle) < 2e-6, "\(centre) s")
    }

    /// The filter rejects the frequencies next to the passband that fold into it by 58 dB (the window
    /// is one of 60 dB, and its transition is a little too wide), and those below 12 kHz or above
    /// 26.5 kHz by 75 dB, because the side lobes fall.
    @Test(arguments: rates)
    func rejectsWhatLiesBesideTheBand(rate: Int) {
        let design = design(rate)
        let low = stride(from: 100.0, through: 17_000, by: 100)
        let high = stride(from: 21_500.0, to: Double(rate) / 2 - 100, by: rate > 100_000 ? 370 : 100)
        for hertz in Array(low) + Array(high) {
            let y = convert(sine(hertz, rate: rate, count: rate / 50), design)
            let loudest = y[settled...].map { Double($0.power) }.max() ?? 0
            let rejection = -decibels(loudest)
            let wanted = hertz < 12_000 || hertz > 26_500 ? 75.0 : 58.0
            #expect(rejection >= wanted, "\(hertz) Hz: \(rejection) dB")
        }
    }

    /// The output for noise, compared with its definition, a direct sum for each output, at every phase of the filter.
    @Test(arguments: rates)
    func equalsTheDefinition(rate: Int) {
        var random = SeededGenerator(seed: UInt64(rate))
        let x = random.samples(rate / 40)
        let y = convert(x, design(rate))
        let expected = Reference.downconvert(
            x.map { Double($0) }, inputRateHertz: rate, outputRateHertz: 3_000, centreHertz: 19_250,
            spanSeconds: 128.0 / 48_000, outputCount: y.count)
        // Outputs have a deviation of about √(1/3 · 4 · 3,000/rate) ≤ 0.3, sums of up to 512 products of single precision:
        // 0.3 · √512 · 2⁻²⁴ = 4e-7, and 1e-5 is far below any wrong tap. 47,999 Hz: 0.005 of phase, of up to 1.
        let tolerance = rate == 47_999 ? 0.006 : 1e-5
        for n in y.indices {
            let error = (ComplexDouble(y[n]) - expected[n]).power.squareRoot()
            #expect(error <= tolerance, "sample \(n), seed \(rate)")
        }
    }

    @Test(arguments: rates)
    func anySplitOfTheInputGivesTheSameOutput(rate: Int) {
        let design = design(rate)
        var random = SeededGenerator(seed: 3)
        let x = random.samples(9_000)
        let whole = convert(x, design)
        for lengths in [0...20, 1...1, 0...1_000, 4_096...4_096] {
            let pieces = random.pieces(of: x.count, lengths: lengths)
            let isSame = convert(x, design, pieces: pieces) == whole
            #expect(isSame, "pieces of \(lengths), seed 3")
        }
    }

    /// Skipped input advances the time. Only the outputs whose filter reaches into it are lost;
    /// the others are as if nothing were missing.
    @Test(arguments: rates)
    func skippingLosesWhatItTouchesOnly(rate: Int) {
        let design = design(rate)
        var random = SeededGenerator(seed: UInt64(rate))
        let x = random.samples(60_000)
        let whole = convert(x, design)
        var converter = Downconverter(design)
        var block = [ComplexSample](repeating: ComplexSample(), count: converter.maximumOutputCount)
        var (first, n) = (0, 0)
        var lost: [Range<Int>] = []
        while first < x.count {
            let count = min([1, 30, 700, 4_000].randomElement(using: &random)!, x.count - first)
            if Bool.random(using: &random) {
                n += converter.skip(count)
                lost.append(first..<first + count)
            } else {
                let produced = converter.process(x.span.extracting(first..<first + count), into: &block)
                for place in 0..<produced {
                    // The filter's support, in whole samples around t[n].
                    let centre = (n + place) * rate / 3_000
                    let support = centre - design.tapCount / 2 + 1..<centre + design.tapCount / 2 + 1
                    let isLost = lost.contains { $0.overlaps(support) }
                    #expect(isLost == (place < converter.lostOutputCount), "output \(n + place), seed \(rate)")
                    #expect(isLost || block[place] == whole[n + place], "output \(n + place), seed \(rate)")
                }
                n += produced
            }
            first += count
        }
        #expect(n == whole.count, "seed \(rate)")
        // A second of input is 3,000 outputs, however many seconds.
        #expect(converter.skip(Int.max / rate * rate) == Int.max / rate * 3_000)
    }

    /// The announced size of the output is enough for the largest block, after any input.
    @Test(arguments: rates + [768_000])
    func outputFitsIntoTheRoomItAsksFor(rate: Int) {
        var converter = Downconverter(design(rate))
        let silence = [Float](repeating: 0, count: 4_096)
        var y = [ComplexSample](repeating: ComplexSample(), count: converter.maximumOutputCount)
        var total = 0
        for round in 1...20 {
            total += converter.process(silence.span, into: &y)
            // One output for every rate/3000 of input, less half a filter, less one.
            let due = Double(4_096 * round) * 3_000 / Double(rate)
            #expect(Double(total) <= due && Double(total) > due - 6)
        }
    }

    @Test func whatIsNotFiniteCountsAsSilenceOrIsLimited() {
        let design = design(48_000)
        var random = SeededGenerator(seed: 4)
        let sound = random.samples(4_000)
        let poisons: [(Float, Float)] = [
            (.nan, 0), (-.nan, 0), (.signalingNaN, 0), (.infinity, 100), (-.infinity, -100),
            (.greatestFiniteMagnitude, 100), (-1e30, -100), (.leastNonzeroMagnitude, 0),
        ]
        var poisoned = sound
        var limited = sound
        for index in sound.indices where Int.random(in: 0..<5, using: &random) == 0 {
            (poisoned[index], limited[index]) = poisons.randomElement(using: &random)!
        }
        let y = convert(poisoned, design)
        #expect(y.allSatisfy { $0.x.isFinite && $0.y.isFinite })
        let isSame = y == convert(limited, design)
        #expect(isSame, "seed 4")
    }

    /// Integers give the same output as equal floats, bit by bit, even if the two alternate.
    @Test func integersEqualFloats() {
        let design = design(44_100)
        var random = SeededGenerator(seed: 6)
        var integers: [Int16] = [.min, .max, 0]
        for _ in 0..<9_000 {
            integers.append(Int16(truncatingIfNeeded: Int.random(in: -32_768...32_767, using: &random)))
        }
        let floats = integers.map { Float($0) / 32_768 }
        let expected = convert(floats, design)
        var converter = Downconverter(design)
        var block = [ComplexSample](repeating: ComplexSample(), count: converter.maximumOutputCount)
        var y: [ComplexSample] = []
        for (number, piece) in random.pieces(of: integers.count, lengths: 0...1_000).enumerated() {
            let produced: Int
            if number % 3 == 0 {
                produced = converter.process(floats.span.extracting(piece), into: &block)
            } else {
                produced = converter.process(integers.span.extracting(piece), into: &block)
            }
            y += block[..<produced]
        }
        #expect(y == expected, "seed 6")
    }

    /// Integers, compared with the definition: all forms of the kernels give the same output, bit by bit.
    ///
    /// Rounded taps add up to an error of 2·√(2·128/3)·σ for white noise at 48 kHz, σ = 1/(√12·2.4·10⁵): 2.2e-5, and twice
    /// that for four times the rate. Of 150 outputs none is five times as large.
    @Test(arguments: rates)
    func integersEqualTheDefinition(rate: Int) {
        let design = design(rate)
        var random = SeededGenerator(seed: UInt64(rate))
        let integers = (0..<rate / 20).map { _ in Int16.random(in: .min ... .max, using: &random) }
        var outputs: [[ComplexSample]] = []
        for form in KernelForm.all {
            var converter = Downconverter(design, form: form)
            var block = [ComplexSample](repeating: ComplexSample(), count: converter.maximumOutputCount)
            var y: [ComplexSample] = []
            for first in stride(from: 0, to: integers.count, by: 4_096) {
                let piece = integers.span.extracting(first..<min(first + 4_096, integers.count))
                let produced = converter.process(piece, into: &block)
                y += block[..<produced]
            }
            outputs.append(y)
            #expect(y == outputs[0], "\(form), seed \(rate)")
        }
        let expected = Reference.downconvert(
            integers.map { Double($0) / 32_768 }, inputRateHertz: rate, outputRateHertz: 3_000, centreHertz: 19_250,
            spanSeconds: 128.0 / 48_000, outputCount: outputs[0].count)
        let tolerance = rate == 47_999 ? 0.006 : 1.1e-4 * max(1, (Double(rate) / 48_000).squareRoot())
        for n in expected.indices {
            let error = (ComplexDouble(outputs[0][n]) - expected[n]).power.squareRoot()
            #expect(error <= tolerance, "sample \(n), seed \(rate)")
        }
    }

    /// Rounded taps still reject frequencies outside the band: by 73 dB at 48 kHz, where
    /// their errors add up at random to 80 ± 6 dB.
    @Test func integersRejectWhatLiesBesideTheBand() {
        let design = design(48_000)
        for hertz in Array(stride(from: 100.0, through: 17_000, by: 100)) + [21_600, 22_800, 23_900] {
            let integers = sine(hertz, rate: 48_000, count: 960).map { Int16(32_767 * $0) }
            var converter = Downconverter(design)
            var y = [ComplexSample](repeating: ComplexSample(), count: converter.maximumOutputCount)
            let produced = converter.process(integers.span, into: &y)
            let rejection = -decibels(y[settled..<produced].map { Double($0.power) }.max() ?? 0)
            #expect(rejection >= (hertz < 12_000 ? 73 : 58), "\(hertz) Hz: \(rejection) dB")
        }
    }

    /// Every form of the kernels for floats agrees with plain vectors: sums of up to 512 products, see `equalsTheDefinition`.
    @Test(arguments: rates)
    func allFormsAgree(rate: Int) {
        let design = design(rate)
        var random = SeededGenerator(seed: 8)
        let x = random.samples(3_000)
        let outputs = KernelForm.all.map { form in
            var converter = Downconverter(design, form: form)
            var y = [ComplexSample](repeating: ComplexSample(), count: converter.maximumOutputCount)
            let produced = converter.process(x.span, into: &y)
            return Array(y[..<produced])
        }
        for (form, y) in zip(KernelForm.all, outputs) {
            for n in y.indices {
                #expect((y[n] - outputs[0][n]).power < 1e-10, "\(form), sample \(n), seed 8")
            }
        }
    }

    /// The choice of integer arithmetic depends on a filter's own samples, not on the blocks. Stretches of integers and
    /// of other floats alternate here, shorter and longer than a filter.
    @Test(arguments: [44_100, 48_000])
    func anySplitOfMixedInputGivesTheSameOutput(rate: Int) {
        let design = design(rate)
        var random = SeededGenerator(seed: 9)
        var x: [Float] = []
        while x.count < 9_000 {
            let isInteger = Bool.random(using: &random)
            for _ in 0..<Int.random(in: 1...400, using: &random) {
                let integer = Float(Int.random(in: -32_768...32_767, using: &random))
                x.append((isInteger ? integer : integer + 0.25) / 32_768)
            }
        }
        let whole = convert(x, design)
        for lengths in [0...20, 1...1, 0...1_000] {
            let isSame = convert(x, design, pieces: random.pieces(of: x.count, lengths: lengths)) == whole
            #expect(isSame, "pieces of \(lengths), seed 9")
        }
    }

    @Test func silenceStaysSilence() {
        let y = convert([Float](repeating: 0, count: 10_000), design(44_100))
        #expect(y.allSatisfy { $0 == ComplexSample() })
    }
}
