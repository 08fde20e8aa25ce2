import CEarshotKernels
import RealModule

/// Real samples at any rate to complex baseband: mix to zero, low-pass and decimate in one polyphase filter.
///
///     y[n] = 2·e^{−jω·t[n]} · Σₖ x[k]·h(k − t[n])·e^{−jω·(k − t[n])},   t[n] = n·F/F',   ω = 2π·f₀/F
///
/// F is the input rate, F' the output rate, f₀ the centre, h a Kaiser-windowed sinc that is `filterSpanSeconds` long. A
/// sine of amplitude 1 at f₀ gives |y| = 1. If F/F' is a fraction p/q, the filter has q phases, so 44.1 kHz becomes
/// exactly 3 kHz without a second resampler. NaN counts as silence, and all other values are limited to
/// ±`maximumMagnitude`, so that bad input cannot corrupt later stages.
///
/// If all samples of a filter are 16-bit integers, it sums integers, with taps rounded to integers: a vector has room
/// for twice as many of them as floats, and the sums are exact, the same on every machine. Rounded taps add an error 80
/// dB below white noise in the output at 48 kHz, 70 dB at 192 kHz. Floats with such integer values give the same
/// output, to the bit. If the filter touches any other float, it sums floats, with exact taps.
///
/// The caller skips lost input, at no cost: time continues, and the outputs whose filter touches the hole are lost too,
/// so that its edges do not click.
///
/// Delay: y[n] needs the input up to half a filter after t[n]. Any split of the input gives the same output.
/// Cost: two multiplications a tap; 128 taps at 48 kHz.
public struct Downconverter: ~Copyable {
    /// The limit of input values: 40 dB above full scale, far below the values whose squares overflow single precision.
    public static let maximumMagnitude: Float = 100
    /// The maximum number of input samples in one call of `process`.
    public static let maximumInputCount = 4_096

    private let design: Design
    private let form: KernelForm
    /// The input as integers, where it has integer values.
    private var integers: [Int16]
    /// The input as floats, where `integers` does not suffice.
    private var floats: [Float]
    /// The number of samples at the front of the input up to the last one that is not an integer. If it is 0, `floats`
    /// has no meaning.
    private var fractionEnd = 0
    private var filled: Int
    private var phase = 0
    private var rotation = 0
    /// The number of samples at the front of the input up to the last lost one.
    private var lostInputCount = 0
    /// The number of outputs at the start of the last call of `process` whose filter touched skipped input: they are not valid.
    public private(set) var lostOutputCount = 0

    /// Creates a converter at the start of its input. The time before counts as silence.
    public init(_ design: Design) {
        self.init(design, form: .best)
    }

    /// The same with kernels of one form.
    package init(_ design: Design, form: KernelForm) {
        self.design = design
        self.form = form
        // The first output is at the first input sample, so half a filter of silence precedes it.
        filled = design.tapCount / 2 - 1
        let capacity = design.tapCount + Downconverter.maximumInputCount + design.advance / design.phaseCount + 1
        integers = [Int16](repeating: 0, count: capacity)
        floats = [Float](repeating: 0, count: capacity)
    }

    /// The maximum number of output samples of one call of `process`.
    public var maximumOutputCount: Int {
        integers.count * design.phaseCount / design.advance + 1
    }

    /// Takes all of x and computes as much output as the input allows.
    /// - Parameters:
    ///   - x: input, at most `maximumInputCount` samples; full scale is 1.
    ///   - y: receives the output; shape [`maximumOutputCount`].
    /// - Returns: the number of output samples made.
    public mutating func process(_ x: Span<Float>, into y: inout [ComplexSample]) -> Int {
        checkCount(x.count)
        lostOutputCount = 0
        var produced = 0
        // In pieces, so that the pieces, not the blocks, determine where the filter uses integers.
        var rest = x
        while !rest.isEmpty {
            let integerCount = append(rest, earshot_leading_integers)
            if integerCount > 0 {
                produced += convert(into: &y, from: produced)
                rest = rest.extracting(droppingFirst: integerCount)
                continue
            }
            // Each filter that ends in this piece includes a sample that is not an integer.
            let tapCount = design.tapCount
            let fractionCount = append(rest) { earshot_leading_fractions($0, $1, tapCount, $2) }
            if fractionEnd == 0 {
                fillFloats(0..<filled - fractionCount)
            }
            fractionEnd = filled
            produced += convert(into: &y, from: produced)
            rest = rest.extracting(droppingFirst: fractionCount)
        }
        return produced
    }

    /// Takes integers instead, whose full scale is 2¹⁵. The output equals that of the same samples as floats, to the
    /// bit.
    public mutating func process(_ x: Span<Int16>, into y: inout [ComplexSample]) -> Int {
        checkCount(x.count)
        lostOutputCount = 0
        x.withUnsafeBufferPointer { new in
            integers.withUnsafeMutableBufferPointer { integers in
                guard let source = new.baseAddress else { return }
                (integers.baseAddress! + filled).update(from: source, count: new.count)
            }
        }
        filled += x.count
        if fractionEnd > 0 {
            fillFloats(filled - x.count..<filled)
        }
        return convert(into: &y, from: 0)
    }

    private func checkCount(_ count: Int) {
        precondition(
            count <= Downconverter.maximumInputCount, "\(count) samples, at most \(Downconverter.maximumInputCount)")
    }

    /// Appends the first samples of x, as floats and as integers.
    /// - Parameter convert: converts x to integers; returns the number of samples to append.
    /// - Returns: their number.
    private mutating func append(
        _ x: Span<Float>, _ convert: (UnsafePointer<Float>, Int, UnsafeMutablePointer<Int16>) -> Int
    ) -> Int {
        let filled = filled
        let count = x.withUnsafeBufferPointer { new in
            let source = new.baseAddress!
            let count = integers.withUnsafeMutableBufferPointer { integers in
                convert(source, new.count, integers.baseAddress! + filled)
            }
            floats.withUnsafeMutableBufferPointer { floats in
                earshot_limit(source, count, Downconverter.maximumMagnitude, floats.baseAddress! + filled)
            }
            return count
        }
        self.filled += count
        return count
    }

    /// Converts the integers to floats.
    private mutating func fillFloats(_ range: Range<Int>) {
        integers.withUnsafeBufferPointer { integers in
            floats.withUnsafeMutableBufferPointer { floats in
                earshot_floats_from_int16(
                    integers.baseAddress! + range.lowerBound, range.count, floats.baseAddress! + range.lowerBound)
            }
        }
    }

    /// Computes as much output as the input allows.
    /// - Parameters:
    ///   - y: receives it.
    ///   - start: the index of the first output.
    /// - Returns: its number.
    private mutating func convert(into y: inout [ComplexSample], from start: Int) -> Int {
        let touchedCount = lostInputCount > 0 ? outputCount(before: lostInputCount) : 0
        let produced = outputCount(before: filled - design.tapCount + 1)
        precondition(start + produced <= y.count, "\(start + produced) samples made, room for \(y.count)")
        // The outputs whose filter begins before the last sample that is not an integer.
        let fractionCount = min(outputCount(before: fractionEnd), produced)
        y.withUnsafeMutableBufferPointer { y in
            let output = y.baseAddress! + start
            filterFloats(fractionCount, into: output)
            filterIntegers(produced - fractionCount, into: output + fractionCount)
        }
        let first = phase / design.phaseCount
        phase %= design.phaseCount
        discard(first)
        lostInputCount = max(lostInputCount - first, 0)
        lostOutputCount += min(touchedCount, produced)
        return produced
    }

    /// Computes the next `count` outputs from floats.
    private mutating func filterFloats(_ count: Int, into y: UnsafeMutablePointer<ComplexSample>) {
        guard count > 0 else { return }
        let design = design
        withUnsafePointer(to: design.filter) { filter in
            design.rotations.withUnsafeBufferPointer { rotations in
                earshot_filter_floats(
                    form.number, filter, floats, design.taps, phase, rotations.baseAddress!.pairs, rotation, y.pairs,
                    count)
            }
        }
        advance(count)
    }

    /// Computes the next `count` outputs from integers.
    private mutating func filterIntegers(_ count: Int, into y: UnsafeMutablePointer<ComplexSample>) {
        guard count > 0 else { return }
        let design = design
        withUnsafePointer(to: design.filter) { filter in
            design.integerRotations.withUnsafeBufferPointer { rotations in
                earshot_filter_integers(
                    form.number, filter, integers, design.integerTaps, phase, rotations.baseAddress!.pairs, rotation,
                    y.pairs, count)
            }
        }
        advance(count)
    }

    /// Advances by `count` outputs.
    private mutating func advance(_ count: Int) {
        rotation = (rotation + count) % design.rotationPeriod
        phase += count * design.advance
    }

    /// Skips lost input. The cost does not depend on the length of the hole.
    /// - Parameter sampleCount: the number of lost samples; 0 or more. On platforms with a 32-bit Int it may need 64
    ///   bits.
    /// - Returns: the number of outputs that this input would have given. All of them are lost; the next output of
    ///   `process` follows them in time.
    public mutating func skip<Count: FixedWidthInteger & SignedInteger>(_ sampleCount: Count) -> Count {
        guard sampleCount > 0 else { return 0 }
        let (advance, phaseCount, period) = (design.advance, design.phaseCount, design.rotationPeriod)
        // After each `advance` of input the filter is in the same phase again.
        let periods = sampleCount / Count(advance)
        let rest = Int(sampleCount % Count(advance))
        let produced = outputCount(before: filled + rest - design.tapCount + 1)
        rotation = (rotation + Int(periods % Count(period)) * (phaseCount % period) + produced) % period
        let newPhase = Int64(phase) + Int64(produced) &* Int64(advance)
        filled += rest - Int(newPhase / Int64(phaseCount))
        phase = Int(newPhase % Int64(phaseCount))
        lostInputCount = filled
        // The values there are not used.
        fractionEnd = 0
        return periods &* Count(phaseCount) + Count(produced)
    }

    /// The number of next outputs that begin before `input`[index].
    private func outputCount(before index: Int) -> Int {
        guard index > 0 else { return 0 }
        // The product may take more than 32 bits. Unchecked, because a check of 64 bits takes 128, which WebAssembly lacks.
        let phases = Int64(index) &* Int64(design.phaseCount)
        return Int((phases + Int64(design.advance - phase - 1)) / Int64(design.advance))
    }

    private mutating func discard(_ count: Int) {
        // The advance is far shorter than the filter, so it never exceeds the filled part.
        filled -= count
        fractionEnd = max(fractionEnd - count, 0)
        moveToFront(&integers, from: count, filled)
        if fractionEnd > 0 {
            moveToFront(&floats, from: count, filled)
        }
    }
}

/// Moves `count` elements, starting at index `first`, to the front.
private func moveToFront<Element>(_ x: inout [Element], from first: Int, _ count: Int) {
    x.withUnsafeMutableBufferPointer { x in
        x.baseAddress!.update(from: x.baseAddress! + first, count: count)
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
