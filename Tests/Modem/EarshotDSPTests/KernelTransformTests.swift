import EarshotBasics
import EarshotDSP
import TestSupport
import Testing

/// The transforms by the C kernel, which `FFTPlan` uses where the package is built without FFTW.
@Suite(.optimized) struct KernelTransformTests {
    /// All short lengths, and powers of two up to twice the longest plan of the modem.
    private static let lengths = Array(1...64) + [97, 100, 128, 256, 360, 512, 1_000, 1_024, 2_048, 4_096, 8_192]

    /// Each of log₂ N stages rounds by 2⁻²⁴ of a value of about √N; five times that for the worst of all. Other lengths than
    /// powers of two take two transforms of M < 4·N points, and four products more.
    private func tolerance(_ length: Int) -> Double {
        var stageCount = 1
        while 1 << stageCount < length { stageCount += 1 }
        if length & (length - 1) != 0 { stageCount = 2 * (stageCount + 1) + 4 }
        return 5 * Double(stageCount) * 0x1p-24 * Double(length).squareRoot()
    }

    /// The spectra of stretches of x, by any transform.
    private func spectrum<Transform: FourierTransform & ~Copyable>(
        _ type: Transform.Type, _ x: [ComplexSample], length: Int, batchCount: Int = 1, distance: Int? = nil
    ) -> [ComplexSample] {
        let arrays = TransformArrays(length: length, batchCount: batchCount, distance: distance ?? length)
        defer { arrays.deallocate() }
        var transform = type.init(arrays, hasInverse: false)
        for n in x.indices { arrays.samples[n] = x[n] }
        // Runs twice: the first run must not affect the second, and the samples stay.
        for _ in 0..<2 {
            for k in arrays.spectrum.indices { arrays.spectrum[k] = ComplexSample(9, 9) }
            transform.forward()
        }
        #expect(x.indices.allSatisfy { arrays.samples[$0] == x[$0] })
        return Array(arrays.spectrum)
    }

    private func inverse<Transform: FourierTransform & ~Copyable>(
        _ type: Transform.Type, _ points: [ComplexSample], length: Int, batchCount: Int
    ) -> [ComplexSample] {
        let arrays = TransformArrays(length: length, batchCount: batchCount, distance: length)
        defer { arrays.deallocate() }
        var transform = type.init(arrays, hasInverse: true)
        for k in points.indices { arrays.spectrum[k] = points[k] }
        for _ in 0..<2 { transform.inverse() }
        #expect(points.indices.allSatisfy { arrays.spectrum[$0] == points[$0] })
        return Array(arrays.samples)
    }

    /// The largest distance of two sequences.
    private func difference(_ a: [ComplexSample], _ b: [ComplexDouble]) -> Double {
        zip(a, b).reduce(0) { max($0, (ComplexDouble($1.0) - $1.1).power.squareRoot()) }
    }

    @Test(arguments: lengths)
    func equalsTheDefinition(length: Int) {
        var random = SeededGenerator(seed: UInt64(length))
        let batchCount = length > 1_000 ? 1 : 3
        let x = random.complex(length * batchCount)
        let found = spectrum(KernelTransform.self, x, length: length, batchCount: batchCount)
        for batch in 0..<batchCount {
            let range = batch * length..<(batch + 1) * length
            let expected = Reference.dft(x[range].map { ComplexDouble($0) })
            let error = difference(Array(found[range]), expected)
            #expect(error <= tolerance(length), "batch \(batch) is off by \(error), seed \(length)")
        }
    }

    @Test(arguments: lengths)
    func theInverseEqualsTheDefinition(length: Int) {
        var random = SeededGenerator(seed: UInt64(1_000 + length))
        let batchCount = length > 1_000 ? 1 : 2
        let points = random.complex(length * batchCount)
        let found = inverse(KernelTransform.self, points, length: length, batchCount: batchCount)
        let conjugate = ComplexDouble(1, -1)
        for batch in 0..<batchCount {
            let range = batch * length..<(batch + 1) * length
            let expected = Reference.dft(points[range].map { ComplexDouble($0) * conjugate }).map { $0 * conjugate }
            let error = difference(Array(found[range]), expected)
            #expect(error <= tolerance(length), "batch \(batch) is off by \(error), seed \(1_000 + length)")
        }
    }

    /// Stretches that overlap, and stretches with gaps between them, are transformed as if each were alone, to the bit.
    @Test(arguments: [(1, 1), (32, 8), (64, 16), (128, 32), (16, 1), (32, 40), (32, 3), (20, 7), (97, 5)])
    func stretchesMayOverlap(length: Int, distance: Int) {
        let batchCount = 32
        var random = SeededGenerator(seed: 9)
        let x = random.complex(length + (batchCount - 1) * distance)
        let all = spectrum(KernelTransform.self, x, length: length, batchCount: batchCount, distance: distance)
        for stretch in 0..<batchCount {
            let own = Array(x[stretch * distance..<stretch * distance + length])
            let one = spectrum(KernelTransform.self, own, length: length)
            #expect(one.elementsEqual(all[stretch * length..<(stretch + 1) * length]), "stretch \(stretch), seed 9")
        }
    }

    #if FFTW
        /// Both round by as much as `tolerance` allows.
        @Test(arguments: lengths)
        func fftwComputesTheSame(length: Int) {
            var random = SeededGenerator(seed: UInt64(2_000 + length))
            let x = random.complex(3 * length)
            let own = spectrum(KernelTransform.self, x, length: length, batchCount: 3)
            let other = spectrum(FFTWTransform.self, x, length: length, batchCount: 3).map { ComplexDouble($0) }
            #expect(difference(own, other) <= 2 * tolerance(length), "seed \(2_000 + length)")
            let back = inverse(KernelTransform.self, x, length: length, batchCount: 3)
            let otherBack = inverse(FFTWTransform.self, x, length: length, batchCount: 3).map { ComplexDouble($0) }
            #expect(difference(back, otherBack) <= 2 * tolerance(length), "seed \(2_000 + length)")
        }
    #endif
}
