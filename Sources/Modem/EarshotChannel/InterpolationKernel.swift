import EarshotDSP
import RealModule

/// A windowed sinc for values between samples, tabulated once.
///
///     y(i + s) ≈ Σₖ x[i − W + 1 + k]·g(k − W + 1 − s),   g(u) = 2c·sinc(2c·u)·w(u/W),   k = 0 ..< 2·W, 0 ≤ s ≤ 1
///
/// c is the cutoff in cycles a sample, w a Kaiser window of 80 dB: flat to 0.01 dB up to c − 1.25/W and below −80 dB
/// from c + 1.25/W on, by Kaiser's formula (80 − 8)/(2.285·2π·2W) = 2.5/W for the whole transition. Between the phases
/// of the table g is interpolated linearly, with an error of (2πc/phases)²/8: −108 dB for 512 phases and c = ½.
struct InterpolationKernel: Sendable {
    /// W, in samples.
    let halfWidth: Int
    private let phaseCount: Int
    // g for s = phase/phaseCount, and its change until the next phase; shape [phaseCount + 1][2·W].
    private let taps: [Float]
    private let steps: [Float]

    /// For a sound at its own sample rate, shifted or slightly stretched: 64 taps, flat to 0.461 of the sample rate.
    static let fullBand = InterpolationKernel(halfWidth: 32, phaseCount: 512, cutoff: 0.5)

    init(halfWidth: Int, phaseCount: Int, cutoff c: Double) {
        self.halfWidth = halfWidth
        self.phaseCount = phaseCount
        let window = KaiserWindow(attenuationDecibels: 80)
        var taps: [Float] = []
        taps.reserveCapacity((phaseCount + 1) * 2 * halfWidth)
        for phase in 0...phaseCount {
            for k in 0..<2 * halfWidth {
                let u = Double(k - halfWidth + 1) - Double(phase) / Double(phaseCount)
                let sinc = u == 0 ? 2 * c : Double.sin(2 * .pi * c * u) / (.pi * u)
                taps.append(Float(sinc * window(u / Double(halfWidth))))
            }
        }
        self.taps = taps
        steps = taps.indices.map { $0 + 2 * halfWidth < taps.count ? taps[$0 + 2 * halfWidth] - taps[$0] : 0 }
    }

    /// y(i + s). `x` begins with sample i − W + 1; shape [2·W].
    func value(_ x: Span<Float>, fraction s: Double) -> Float {
        let (row, share) = row(s)
        let range = row * 2 * halfWidth..<(row + 1) * 2 * halfWidth
        return dotProduct(x, taps.span.extracting(range), steps.span.extracting(range), share)
    }

    /// The transposed operation: adds a pulse of height `gain` at i + s; `y` begins with sample i − W + 1; shape [2·W].
    func addPulse(to y: inout MutableSpan<Float>, gain: Float, fraction s: Double) {
        let (row, share) = row(s)
        let first = row * 2 * halfWidth
        for k in 0..<2 * halfWidth {
            y[k] += gain * (taps[first + k] + share * steps[first + k])
        }
    }

    private func row(_ s: Double) -> (row: Int, share: Float) {
        let phase = s * Double(phaseCount)
        let row = Int(phase)
        return (row, Float(phase - Double(row)))
    }
}

/// Σ x·(a + s·b), all of equal length. The sums are relaxed: the compiler chooses the order of additions, always the
/// same.
@inline(never)
private func dotProduct(_ x: Span<Float>, _ a: Span<Float>, _ b: Span<Float>, _ s: Float) -> Float {
    precondition(a.count == x.count && b.count == x.count)
    var (fixed, sloping): (Float, Float) = (0, 0)
    for k in x.indices {
        fixed = Relaxed.multiplyAdd(x[k], a[k], fixed)
        sloping = Relaxed.multiplyAdd(x[k], b[k], sloping)
    }
    return fixed + s * sloping
}
