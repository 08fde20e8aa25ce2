import EarshotBasics
import EarshotDSP
import TestSupport
import Testing

@Suite(.optimized) struct FFTPlanTests {
    @Test(arguments: [1, 2, 3, 8, 60, 64, 97, 128, 256])
    func equalsTheDefinition(length: Int) {
        let batchCount = 3
        var random = SeededGenerator(seed: UInt64(length))
        var plan = FFTPlan(length: length, batchCount: batchCount)
        // Runs twice: the first run must not affect the second.
        for _ in 0..<2 {
            let x = random.complex(length * batchCount)
            plan.withMutableSamples { input in
                for n in x.indices {
                    input[n] = x[n]
                }
            }
            plan.forward()
            var spectrum: [ComplexSample] = []
            plan.withSpectrum { output in
                for k in output.indices {
                    spectrum.append(output[k])
                }
            }
            for batch in 0..<batchCount {
                let range = batch * length..<(batch + 1) * length
                let expected = Reference.dft(x[range].map { ComplexDouble($0) })
                // Each of log2 N < 9 stages rounds by 2⁻²⁴ of a value of about √N; five times that for the worst of all.
                let tolerance = 5 * 9 * 0x1p-24 * Double(length).squareRoot()
                for (k, value) in spectrum[range].enumerated() {
                    let error = (ComplexDouble(value) - expected[k]).power.squareRoot()
                    #expect(error <= tolerance, "bin \(k) of batch \(batch), seed \(length)")
                }
            }
        }
    }

    /// Stretches that overlap, and stretches with gaps between them, are transformed as if each were alone.
    @Test(arguments: [(32, 8), (64, 16), (128, 32), (16, 1), (32, 40), (32, 3)])
    func stretchesMayOverlap(length: Int, distance: Int) {
        let batchCount = 32
        var random = SeededGenerator(seed: 9)
        let x = random.complex(length + (batchCount - 1) * distance)
        var batch = FFTPlan(length: length, batchCount: batchCount, inputDistance: distance)
        var single = FFTPlan(length: length)
        // Runs twice: the input must not change.
        batch.withMutableSamples { input in
            for n in x.indices { input[n] = x[n] }
        }
        for _ in 0..<2 { batch.forward() }
        for stretch in 0..<batchCount {
            single.withMutableSamples { input in
                for n in 0..<length { input[n] = x[stretch * distance + n] }
            }
            single.forward()
            var worst: Float = 0
            batch.withSpectrum { all in
                single.withSpectrum { one in
                    for k in 0..<length { worst = max(worst, (all[stretch * length + k] - one[k]).power) }
                }
            }
            // Two ways of rounding: see `equalsTheDefinition`.
            let tolerance = 2 * 5 * 9 * Float(0x1p-24) * Float(length).squareRoot()
            #expect(worst.squareRoot() <= tolerance, "stretch \(stretch)")
        }
    }

    @Test func inputStartsAsZeros() {
        var plan = FFTPlan(length: 32, batchCount: 2)
        plan.forward()
        var sum: Float = 0
        plan.withSpectrum { output in
            for k in output.indices {
                sum += output[k].power
            }
        }
        #expect(sum == 0)
    }
}
