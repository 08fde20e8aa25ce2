import EarshotChannel

/// A loop of known work, to compare the receiver with on the same machine in the same run.
///
///     y[i] = Re · Im of Σₖ x[16·i + k]·h[k],   k = 0 ..< 128, in double precision
///
/// It is a complex filter of 128 taps from 48 to 3 kHz, written plainly. Its code never changes.
package struct ReferenceLoop: Sendable {
    private static let tapCount = 128
    private static let step = 16

    /// Seconds of sound at 48 kHz in one run.
    package let seconds: Double
    private let samples: [Double]
    /// Real parts, then imaginary parts.
    private let taps: [Double]

    /// A loop over these samples at 48 kHz.
    package init(_ samples: [Float]) {
        seconds = Double(samples.count) / 48_000
        self.samples = samples.map { Double($0) }
        var noise = WhiteNoise(seed: 42)
        taps = (0..<2 * Self.tapCount).map { _ in Double(noise.next()) }
    }

    /// Runs it once.
    package func run() {
        var sink = 0.0
        for first in stride(from: 0, to: samples.count - Self.tapCount, by: Self.step) {
            var (real, imaginary) = (0.0, 0.0)
            for tap in 0..<Self.tapCount {
                real += taps[tap] * samples[first + tap]
                imaginary += taps[Self.tapCount + tap] * samples[first + tap]
            }
            sink += real * imaginary
        }
        keep(Float(sink))
    }
}
