import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct FFTPlanInverseTests {
    private func samples(_ plan: borrowing FFTPlan) -> [ComplexSample] {
        var all = [ComplexSample](repeating: ComplexSample(), count: plan.length * plan.batchCount)
        plan.copySamples(0..<all.count, into: &all)
        return all
    }

    private func spectrum(_ plan: borrowing FFTPlan) -> [ComplexSample] {
        var all = [ComplexSample](repeating: ComplexSample(), count: plan.length * plan.batchCount)
        plan.copySpectrum(into: &all)
        return all
    }

    /// The largest distance of two sequences.
    private func difference(_ a: [ComplexSample], _ b: [ComplexDouble]) -> Double {
        zip(a, b).reduce(0) { max($0, (ComplexDouble($1.0) - $1.1).power.squareRoot()) }
    }

    /// Each of log2 N < 12 stages rounds by 2⁻²⁴ of a value of about √N; five times that for the worst of all.
    private func tolerance(_ length: Int) -> Double { 5 * 12 * 0x1p-24 * Double(length).squareRoot() }

    @Test(arguments: [1, 2, 3, 60, 64, 97, 256, 2_048])
    func theInverseOfTheSpectrumIsTheSamples(length: Int) {
        let batchCount = 3
        var random = SeededGenerator(seed: UInt64(length))
        var plan = FFTPlan(length: length, batchCount: batchCount)
        let x = random.complex(length * batchCount)
        plan.withMutableSamples { input in
            for n in x.indices { input[n] = x[n] }
        }
        plan.forward()
        let before = spectrum(plan)
        plan.withMutableSamples { input in
            for n in x.indices { input[n] = ComplexSample(9, 9) }
        }
        plan.inverse()
        let back = samples(plan).map { ComplexDouble($0) / Double(length) }
        for n in x.indices {
            // Twice the stages, over N.
            let limit = 2 * tolerance(length) / Double(length).squareRoot()
            #expect((back[n] - ComplexDouble(x[n])).power.squareRoot() <= limit, "sample \(n), seed \(length)")
        }
        #expect(spectrum(plan) == before)
    }

    /// x[n] = Σₖ X[k]·e^{+j2πkn/N}, by the definition's conjugates.
    @Test(arguments: [2, 8, 60, 128])
    func theInverseEqualsTheDefinition(length: Int) {
        var random = SeededGenerator(seed: UInt64(100 + length))
        var plan = FFTPlan(length: length)
        let points = random.complex(length)
        plan.loadSpectrum(points)
        plan.inverse()
        let conjugate = ComplexDouble(1, -1)
        let expected = Reference.dft(points.map { ComplexDouble($0) * conjugate }).map { $0 * conjugate }
        #expect(difference(samples(plan), expected) <= tolerance(length), "seed \(100 + length)")
    }

    /// A product of spectra is a circular convolution, or a correlation with the conjugate;
    /// zeros after both signals make it linear.
    @Test func productsAreConvolutionsAndCorrelations() {
        let length = 64
        var random = SeededGenerator(seed: 37)
        let (x, h) = (random.complex(40), random.complex(20))
        var plan = FFTPlan(length: length)
        plan.load(h, 0..<h.count)
        plan.forward()
        let response = spectrum(plan)

        plan.load(x, 0..<x.count)
        plan.forward()
        plan.multiplySpectrum(by: response)
        plan.inverse()
        var expected = [ComplexDouble](repeating: ComplexDouble(), count: length)
        for n in x.indices {
            for k in h.indices { expected[n + k] += ComplexDouble(x[n]).times(ComplexDouble(h[k])) }
        }
        let scaled = samples(plan).map { $0 / Float(length) }
        // Three transforms, products of 64 points.
        #expect(difference(scaled, expected) < 3 * tolerance(length), "seed 37")

        plan.load(x, 0..<x.count)
        plan.forward()
        var sum = [ComplexSample](repeating: ComplexSample(1, 2), count: length)
        plan.addSpectrum(timesConjugateOf: response, to: &sum)
        plan.multiplySpectrum(byConjugateOf: response)
        for (added, product) in zip(sum, spectrum(plan)) {
            #expect((added - product - ComplexSample(1, 2)).power < 1e-6)
        }
        plan.inverse()
        expected = (0..<length).map { lag in
            h.indices.reduce(ComplexDouble()) { sum, k in
                let place = (lag + k) % length
                let factor = ComplexDouble(h[k]) * ComplexDouble(1, -1)
                return x.indices.contains(place) ? sum + ComplexDouble(x[place]).times(factor) : sum
            }
        }
        #expect(difference(samples(plan).map { $0 / Float(length) }, expected) < 3 * tolerance(length), "seed 37")
    }

    /// Loading a part of a signal puts zeros around it, in place of an earlier use.
    @Test func loadingPadsWithZeros() {
        var random = SeededGenerator(seed: 38)
        let x = random.complex(10)
        var plan = FFTPlan(length: 8)
        for range in [0..<8, 2..<5, -3..<4, 7..<15, -20..<(-10), 12..<20, 4..<4, 0..<30, -2..<30] {
            plan.withMutableSamples { input in
                for n in input.indices { input[n] = ComplexSample(9, 9) }
            }
            plan.load(x, range)
            let expected = (0..<8).map { n in
                range.contains(range.lowerBound + n) && x.indices.contains(range.lowerBound + n)
                    ? x[range.lowerBound + n] : ComplexSample()
            }
            #expect(samples(plan) == expected, "\(range)")
        }
    }

    @Test func partsAreCopiedOut() {
        var random = SeededGenerator(seed: 39)
        let points = random.complex(16)
        var plan = FFTPlan(length: 16)
        plan.loadSpectrum(points)
        var powers = [Float](repeating: -1, count: 12)
        plan.copyPowers(ofBins: -4..<6, into: &powers, at: 1)
        #expect(powers[0] == -1 && powers[11] == -1)
        #expect(powers[1...10].elementsEqual((-4..<6).map { points[($0 + 16) % 16].power }))
        plan.withMutableSamples { input in
            for n in input.indices { input[n] = points[n] }
        }
        var part = [ComplexSample](repeating: ComplexSample(9, 9), count: 6)
        plan.copySamples(3..<7, scale: 2, into: &part, at: 1)
        #expect(part == [ComplexSample(9, 9)] + points[3..<7].map { 2 * $0 } + [ComplexSample(9, 9)])
    }

    /// Stretches that overlap have no inverse; a plan for them still transforms forward.
    @Test func overlappingStretchesTransformForward() {
        var plan = FFTPlan(length: 8, batchCount: 3, inputDistance: 2)
        plan.withMutableSamples { input in
            for n in input.indices { input[n] = ComplexSample(1, 0) }
        }
        plan.forward()
        let points = spectrum(plan)
        for batch in 0..<3 { #expect((points[8 * batch] - ComplexSample(8, 0)).power < 1e-10) }
    }
}
