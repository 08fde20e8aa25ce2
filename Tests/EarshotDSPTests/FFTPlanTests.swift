import EarshotDSP
import TestSupport
import Testing

@Suite struct FFTPlanTests {
    @Test(arguments: [1, 2, 3, 8, 60, 64, 97, 128, 256])
    func equalsTheDefinition(length: Int) {
        let batchCount = 3
        var random = Randomness(seed: UInt64(length))
        var plan = FFTPlan(length: length, batchCount: batchCount)
        // Twice: what a run leaves behind must not show in the next.
        for _ in 0..<2 {
            let x = random.complex(length * batchCount)
            plan.withInput { input in
                for n in x.indices {
                    input[n] = x[n]
                }
            }
            plan.execute()
            var spectrum: [ComplexSample] = []
            plan.withOutput { output in
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

    @Test func inputStartsAsZeros() {
        var plan = FFTPlan(length: 32, batchCount: 2)
        plan.execute()
        var sum: Float = 0
        plan.withOutput { output in
            for k in output.indices {
                sum += output[k].power
            }
        }
        #expect(sum == 0)
    }
}
