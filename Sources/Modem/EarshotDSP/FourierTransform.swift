/// What computes the transforms of an `FFTPlan`.
package protocol FourierTransform: ~Copyable {
    /// Prepares to transform between two arrays. They must be there whenever it transforms.
    /// - Parameter hasInverse: whether `inverse` will be called. Stretches must then stand one behind the other.
    init(_ arrays: TransformArrays, hasInverse: Bool)

    /// X[b][k] = Σₙ x[b·D + n]·e^{−j2πkn/N}. x stays as it is.
    mutating func forward()

    /// x[b·N + n] = Σₖ X[b][k]·e^{+j2πkn/N}. X stays as it is.
    mutating func inverse()
}

/// The arrays that a transform reads and writes, and how they are cut; see `FFTPlan`.
package struct TransformArrays {
    /// N, 1 or more.
    package let length: Int
    /// 1 or more.
    package let batchCount: Int
    /// D, 1 or more.
    package let distance: Int
    /// x; shape [(batchCount − 1)·D + N].
    package let samples: UnsafeMutableBufferPointer<ComplexSample>
    /// X; shape [batchCount][N].
    package let spectrum: UnsafeMutableBufferPointer<ComplexSample>

    /// Allocates arrays of zeros.
    package init(length: Int, batchCount: Int, distance: Int) {
        self.length = length
        self.batchCount = batchCount
        self.distance = distance
        samples = TransformArrays.allocate(length + (batchCount - 1) * distance)
        spectrum = TransformArrays.allocate(length * batchCount)
    }

    package func deallocate() {
        UnsafeMutableRawPointer(samples.baseAddress!).deallocate()
        UnsafeMutableRawPointer(spectrum.baseAddress!).deallocate()
    }

    /// A cache line, and the longest vector.
    private static let alignment = 64

    private static func allocate(_ count: Int) -> UnsafeMutableBufferPointer<ComplexSample> {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: count * MemoryLayout<ComplexSample>.stride, alignment: alignment)
        let start = memory.bindMemory(to: ComplexSample.self, capacity: count)
        start.initialize(repeating: ComplexSample(), count: count)
        return UnsafeMutableBufferPointer(start: start, count: count)
    }
}
