/// The implementation of an `FFTPlan`'s transforms.
package protocol FourierTransform: ~Copyable {
    /// Prepares to transform between two arrays. They must outlive all transforms.
    /// - Parameter hasInverse: whether `inverse` will be called. Then stretches must be adjacent.
    init(_ arrays: TransformArrays, hasInverse: Bool)

    /// X[b][k] = Σₙ x[b·D + n]·e^{−j2πkn/N}. x does not change.
    mutating func forward()

    /// x[b·N + n] = Σₖ X[b][k]·e^{+j2πkn/N}. X does not change.
    mutating func inverse()
}

/// The arrays that a transform reads and writes, and their division into stretches; see `FFTPlan`.
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

    /// The size of a cache line and of the longest vector.
    private static let alignment = 64

    private static func allocate(_ count: Int) -> UnsafeMutableBufferPointer<ComplexSample> {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: count * MemoryLayout<ComplexSample>.stride, alignment: alignment)
        let start = memory.bindMemory(to: ComplexSample.self, capacity: count)
        start.initialize(repeating: ComplexSample(), count: count)
        return UnsafeMutableBufferPointer(start: start, count: count)
    }
}
