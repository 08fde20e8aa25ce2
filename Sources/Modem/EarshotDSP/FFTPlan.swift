// The package's trait FFTW chooses.
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
/// The plan owns one buffer for the samples x and one for the spectrum X; each direction reads one and writes the other. D, the
/// distance from one stretch of samples to the next, is any number from 1 on: stretches may overlap, but only stretches that
/// stand one behind the other (D = N) have an inverse.
///
/// FFTW computes the transforms, or a kernel of our own where the package is built without its trait FFTW.
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
    ///   - length: N, 1 or more; fast where its prime factors are small.
    ///   - batchCount: 1 or more.
    ///   - inputDistance: D, 1 or more; nil stands for N.
    ///   - hasInverse: whether to plan the inverse too, where there is one.
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

    /// Transforms the samples to the spectrum. The samples stay as they are.
    public mutating func forward() {
        transform.forward()
    }

    /// Transforms the spectrum to the samples, N times as large as those that `forward` would make this spectrum of. The
    /// spectrum stays as it is. Stretches must stand one behind the other.
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
