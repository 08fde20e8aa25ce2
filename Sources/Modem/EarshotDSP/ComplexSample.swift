/// A complex number in single precision: x is the real part, y the imaginary one.
///
/// The same layout as FFTW's `fftwf_complex`, and two lanes of a vector register.
public typealias ComplexSample = SIMD2<Float>

extension SIMD2 where Scalar == Float {
    /// |z|² = x² + y².
    @inlinable @inline(__always)
    public var power: Float { x * x + y * y }

    /// The complex conjugate, x − jy.
    @inlinable @inline(__always)
    public var conjugate: ComplexSample { ComplexSample(x, -y) }

    /// self · z, the complex product.
    @inlinable @inline(__always)
    public func times(_ z: ComplexSample) -> ComplexSample {
        ComplexSample(x * z.x - y * z.y, x * z.y + y * z.x)
    }
}

extension UnsafePointer<ComplexSample> {
    /// The same numbers as pairs of floats for the C kernels, real part first.
    @inline(__always)
    package var pairs: UnsafePointer<Float> { UnsafeRawPointer(self).assumingMemoryBound(to: Float.self) }
}

extension UnsafeMutablePointer<ComplexSample> {
    /// The same numbers as pairs of floats for the C kernels, real part first.
    @inline(__always)
    package var pairs: UnsafeMutablePointer<Float> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Float.self)
    }
}
