// The package's trait FFTW selects the implementation.
#if FFTW
    private typealias ChosenTransform = FFTWTransform
#else
    private typealias ChosenTransform = KernelTransform
#endif

/// A batch of complex Fourier transforms of one length in both directions, planned once and run many times.
///
///     forward:  X[b][k] = Σₙ x[b·D + n]·e^{−j2πkn/N},   b = 0 ..< batchCount, n, k = 0 ..< N
///     inverse:  x[b·N + n] = Σₖ X[b][k]·e^{+j2πkn/N}     inverse(forward(x)) = N·x
///
/// The plan owns one buffer for the samples x and one for the spectrum X; each direction reads one and writes the
/// other. D, the distance between the starts of successive stretches of samples, is 1 or more: stretches may overlap,
/// but only adjacent stretches (D = N) have an inverse.
///
/// FFTW computes the transforms, or our own kernel if the package is built without its trait FFTW.
public struct FFTPlan: ~Copyable {
    /// The transform length N, in complex samples.
    public let length: Int
    /// The number of transforms in one run.
    public let batchCount: Int

    private let arrays: TransformArrays
    private var transform: ChosenTransform
    private let hasInverse: Bool

    var samples: UnsafeMutableBufferPointer<ComplexSample> { arrays.samples }
    var spectrum: UnsafeMutableBufferPointer<ComplexSample> { arrays.spectrum }

    /// Plans `batchCount` transforms of `length` points. All samples and the spectrum start as zeros.
    /// - Parameters:
    ///   - length: N, 1 or more; fast if its prime factors are small.
    ///   - batchCount: 1 or more.
    ///   - inputDistance: D, 1 or more; nil means N.
    ///   - hasInverse: whether to plan the inverse too, if there is one.
    public init(length: Int, batchCount: Int = 1, inputDistance: Int? = nil, hasInverse: Bool = true) {
        let distance = inputDistance ?? length
        precondition(
            length > 0 && batchCount > 0 && distance > 0,
            "\(batchCount) transforms of \(length) points, \(distance) samples apart")
        self.length = length
        self.batchCount = batchCount
        self.hasInverse = hasInverse && distance == length
        arrays = TransformArrays(length: length, batchCount: batchCount, distance: distance)
        transform = ChosenTransform(arrays, hasInverse: self.hasInverse)
    }

    deinit {
        arrays.deallocate()
    }

    /// Transforms the samples to the spectrum. The samples do not change.
    public mutating func forward() {
        transform.forward()
    }

    /// Transforms the spectrum to the samples, scaled by N: `inverse` after `forward` multiplies the samples by N. The
    /// spectrum does not change. Stretches must be adjacent.
    public mutating func inverse() {
        precondition(hasInverse, "no inverse was planned, or stretches are not \(length) samples apart")
        transform.inverse()
    }

    /// Lets `body` read x; shape [(batchCount − 1)·D + N].
    @inline(__always)
    public borrowing func withSamples(_ body: (Span<ComplexSample>) -> Void) {
        body(samples.span)
    }

    /// Lets `body` write x; shape [(batchCount − 1)·D + N].
    @inline(__always)
    public mutating func withMutableSamples(_ body: (inout MutableSpan<ComplexSample>) -> Void) {
        var x = samples.mutableSpan
        body(&x)
    }

    /// Lets `body` read X; shape [batchCount][N].
    @inline(__always)
    public borrowing func withSpectrum(_ body: (Span<ComplexSample>) -> Void) {
        body(spectrum.span)
    }

    /// Lets `body` write X; shape [batchCount][N].
    @inline(__always)
    public mutating func withMutableSpectrum(_ body: (inout MutableSpan<ComplexSample>) -> Void) {
        var x = spectrum.mutableSpan
        body(&x)
    }
}
