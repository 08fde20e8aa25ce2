import EarshotDSP
import Synchronization

/// A transform for one convolution at a time, from a pool.
///
/// It keeps no data between uses. Planning takes as long as a transform, and thousands of trials need the same lengths,
/// so a common pool lends workspaces: of each length it creates as many as were in use at once.
struct ConvolutionWorkspace: ~Copyable {
    private var plan: FFTPlan

    private init(length: Int) {
        plan = FFTPlan(length: length)
    }

    /// The Fourier transform of real samples, multiplied by `scale`.
    /// - Parameter x: shape [≤ length], padded with zeros.
    /// - Returns: the spectrum; shape [length].
    static func transform(_ x: [Float], length: Int, scale: Float) -> [ComplexSample] {
        withLength(length) { $0.transform(x, scale: scale) }
    }

    private mutating func transform(_ x: [Float], scale: Float) -> [ComplexSample] {
        let length = plan.length
        plan.withMutableSamples { input in
            for n in 0..<length {
                input[n] = ComplexSample(n < x.count ? scale * x[n] : 0, 0)
            }
        }
        plan.forward()
        var spectrum = [ComplexSample](repeating: ComplexSample(), count: length)
        plan.copySpectrum(into: &spectrum)
        return spectrum
    }

    /// Computes two neighbouring blocks of a convolution by overlap and save.
    ///
    ///     y[m] = Σₖ h[k]·x[overlap + m − k],   m = 0 ..< 2·B,   B = length − overlap
    ///
    /// h is real, so one complex transform carries both blocks: the first in its real part, the second in its imaginary
    /// part.
    /// - Parameters:
    ///   - x: shape [overlap + 2·B].
    ///   - spectrum: H/length; shape [length].
    ///   - y: receives the blocks; shape [2·B].
    static func filter(_ x: [Float], by spectrum: [ComplexSample], into y: inout [Float]) {
        withLength(spectrum.count) { $0.filter(x, by: spectrum, into: &y) }
    }

    private mutating func filter(_ x: [Float], by spectrum: [ComplexSample], into y: inout [Float]) {
        let length = plan.length
        let blockLength = y.count / 2
        let overlap = length - blockLength
        precondition(spectrum.count == length && x.count == overlap + y.count && y.count == 2 * blockLength)
        plan.withMutableSamples { input in
            interleave(x.span.extracting(0..<length), x.span.extracting(blockLength..<x.count), into: &input)
        }
        plan.forward()
        plan.multiplySpectrum(by: spectrum)
        plan.inverse()
        plan.withSamples { output in
            var blocks = y.mutableSpan
            deinterleave(output.extracting(overlap..<length), into: &blocks)
        }
    }

    private final class Place: Sendable {
        let workspace: Mutex<ConvolutionWorkspace>

        init(length: Int) {
            workspace = Mutex(ConvolutionWorkspace(length: length))
        }
    }

    private static let idle = Mutex<[Int: [Place]]>([:])

    /// Lends `body` a workspace for transforms of `length` points. Safe from any thread.
    private static func withLength<Result>(
        _ length: Int, _ body: (inout sending ConvolutionWorkspace) -> sending Result
    ) -> sending Result {
        let place = idle.withLock { $0[length]?.popLast() } ?? Place(length: length)
        defer { idle.withLock { $0[length, default: []].append(place) } }
        return place.workspace.withLock(body)
    }
}

// Separate functions, so that bounds are checked once and not for every sample.

private func interleave(_ x: Span<Float>, _ y: Span<Float>, into z: inout MutableSpan<ComplexSample>) {
    precondition(x.count == z.count && y.count == z.count)
    for n in x.indices {
        z[n] = ComplexSample(x[n], y[n])
    }
}

/// The real parts of z to the first half of y, the imaginary parts to the second.
private func deinterleave(_ z: Span<ComplexSample>, into y: inout MutableSpan<Float>) {
    let count = z.count
    precondition(y.count == 2 * count)
    for n in 0..<count {
        y[n] = z[n].x
    }
    for n in 0..<count {
        y[count + n] = z[n].y
    }
}
