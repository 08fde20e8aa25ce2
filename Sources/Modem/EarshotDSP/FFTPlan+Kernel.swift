import CEarshotKernels
import RealModule

/// Transforms by the C kernel.
///
/// The kernel's lengths are powers of two. Other lengths N are done by Bluestein's algorithm: with the chirp
/// c[n] = e^{−jπn²/N}, and n·k = (n² + k² − (k − n)²)/2,
///
///     X[k] = c[k]·Σₙ (x[n]·c[n])·c*[k − n],
///
/// a convolution, computed by two transforms of M ≥ 2N − 1 points, M a power of two.
///
/// Cost for powers of two: about twice that of FFTW; for other lengths four to eight times that of the next power of two.
package struct KernelTransform: ~Copyable, FourierTransform {
    private let arrays: TransformArrays
    /// The kernel's length: N, or M.
    private let kernelLength: Int
    private let factors: [ComplexSample]
    /// c, shape [N]; empty if N is a power of two.
    private let chirp: [ComplexSample]
    /// The spectrum of c* over M, shape [M].
    private var chirpSpectrum: [ComplexSample] = []
    private var work: [ComplexSample]
    /// The product to convolve, and its spectrum, shape [M] each; empty if N is a power of two.
    private var product: [ComplexSample] = []
    private var productSpectrum: [ComplexSample] = []

    package init(_ arrays: TransformArrays, hasInverse: Bool) {
        let length = arrays.length
        self.arrays = arrays
        let isPower = length & (length - 1) == 0
        kernelLength = isPower ? length : 1 << (Int.bitWidth - (2 * length - 2).leadingZeroBitCount)
        factors = KernelTransform.factors(length: kernelLength)
        work = [ComplexSample](repeating: ComplexSample(), count: kernelLength)
        guard !isPower else {
            chirp = []
            return
        }
        // n² modulo 2N keeps the angle small and therefore exact.
        chirp = (0..<length).map { n in
            KernelTransform.root(-Double(n * n % (2 * length)) / Double(2 * length))
        }
        product = [ComplexSample](repeating: ComplexSample(), count: kernelLength)
        productSpectrum = product
        // c* at 1 − N … N − 1, those before zero at the end.
        for n in 0..<length {
            let value = chirp[n].conjugate / Float(kernelLength)
            product[n] = value
            product[(kernelLength - n) % kernelLength] = value
        }
        chirpSpectrum = product
        KernelTransform.transform(product, factors, isInverse: false, &work, &chirpSpectrum)
    }

    package mutating func forward() {
        for batch in 0..<arrays.batchCount {
            let x = UnsafePointer(arrays.samples.baseAddress!) + batch * arrays.distance
            transform(x, arrays.spectrum.baseAddress! + batch * arrays.length, isInverse: false)
        }
    }

    package mutating func inverse() {
        for batch in 0..<arrays.batchCount {
            let x = UnsafePointer(arrays.spectrum.baseAddress!) + batch * arrays.length
            transform(x, arrays.samples.baseAddress! + batch * arrays.length, isInverse: true)
        }
    }

    /// One transform of x[0..<N] into y[0..<N].
    private mutating func transform(
        _ x: UnsafePointer<ComplexSample>, _ y: UnsafeMutablePointer<ComplexSample>, isInverse: Bool
    ) {
        let length = arrays.length
        guard !chirp.isEmpty else {
            factors.withUnsafeBufferPointer { factors in
                work.withUnsafeMutableBufferPointer { work in
                    earshot_transform(
                        x.pairs, length, KernelTransform.pairs(factors), isInverse ? 1 : 0, work.baseAddress!.pairs,
                        y.pairs)
                }
            }
            return
        }
        // The inverse is the conjugate of the transform of the conjugate.
        for n in 0..<length {
            product[n] = (isInverse ? x[n].conjugate : x[n]).times(chirp[n])
        }
        for n in length..<kernelLength {
            product[n] = ComplexSample()
        }
        KernelTransform.transform(product, factors, isInverse: false, &work, &productSpectrum)
        for k in 0..<kernelLength {
            productSpectrum[k] = productSpectrum[k].times(chirpSpectrum[k])
        }
        KernelTransform.transform(productSpectrum, factors, isInverse: true, &work, &product)
        for k in 0..<length {
            let value = product[k].times(chirp[k])
            y[k] = isInverse ? value.conjugate : value
        }
    }

    private static func transform(
        _ x: [ComplexSample], _ factors: [ComplexSample], isInverse: Bool, _ work: inout [ComplexSample],
        _ y: inout [ComplexSample]
    ) {
        x.withUnsafeBufferPointer { x in
            factors.withUnsafeBufferPointer { factors in
                work.withUnsafeMutableBufferPointer { work in
                    y.withUnsafeMutableBufferPointer { y in
                        earshot_transform(
                            x.baseAddress!.pairs, x.count, pairs(factors), isInverse ? 1 : 0, work.baseAddress!.pairs,
                            y.baseAddress!.pairs)
                    }
                }
            }
        }
    }

    /// The kernel's factors; see `earshot_transform`.
    private static func factors(length: Int) -> [ComplexSample] {
        var factors: [ComplexSample] = []
        factors.reserveCapacity(earshot_transform_factor_count(length))
        var n = length
        while n >= 4 {
            for m in 1..<4 {
                for p in 0..<n / 4 {
                    factors.append(root(-Double(m * p) / Double(n)))
                }
            }
            n /= 4
        }
        return factors
    }

    /// e^{j2πt}, rounded from double precision.
    private static func root(_ turns: Double) -> ComplexSample {
        let angle = 2 * Double.pi * turns
        return ComplexSample(Float(Double.cos(angle)), Float(Double.sin(angle)))
    }

    /// An empty array has no address; the kernel does not read it.
    private static func pairs(_ buffer: UnsafeBufferPointer<ComplexSample>) -> UnsafePointer<Float>? {
        buffer.baseAddress?.pairs
    }
}
