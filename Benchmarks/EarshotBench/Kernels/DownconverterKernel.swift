import EarshotChannel
import EarshotDSP
import Foundation

/// A rate that is a whole multiple of the baseband's, and one that is not: for that one the filter also resamples.
let downconverterKernels = [48_000, 44_100].map { rate in
    KernelMeasurement(name: "downconverter, \(decimal(Double(rate) / 1_000, 1)) kHz to 3 kHz") {
        measureDownconverter(rateHertz: rate)
    }
}

private func measureDownconverter(rateHertz: Int) -> KernelResult {
    var noise = WhiteNoise(seed: 1)
    // Two seconds, in the blocks that `earshot decode` reads.
    let x = (0..<2 * rateHertz).map { _ in 0.1 * noise.next() }
    var converter = Downconverter(
        Downconverter.Design(
            inputRateHertz: rateHertz, outputRateHertz: 3_000, centreHertz: 19_250, passbandHertz: 850))
    var block = [ComplexSample](repeating: ComplexSample(), count: converter.maximumOutputCount)
    var y: [ComplexSample] = []
    y.reserveCapacity(7_000)
    let twin = NaiveDownconverter(inputRateHertz: rateHertz, outputRateHertz: 3_000, centreHertz: 19_250)
    var naive: [ComplexSample] = []
    var first: [ComplexSample] = []
    return compare(
        unit: "input sample", unitCount: x.count, minimumRatio: 2.1, tolerance: 1e-4,
        kernel: {
            y.removeAll(keepingCapacity: true)
            for start in stride(from: 0, to: x.count, by: 1_024) {
                let end = min(start + 1_024, x.count)
                let count = converter.process(x.span.extracting(start..<end), into: &block)
                for index in 0..<count {
                    y.append(block[index])
                }
            }
            // Later runs continue the sound of earlier ones; the twin always begins at the start.
            if first.isEmpty { first.append(contentsOf: y) }
        },
        twin: { naive = twin.convert(x) },
        difference: {
            let count = min(first.count, naive.count)
            return relativeDifference(
                first[..<count].flatMap { [$0.x, $0.y] }, naive[..<count].flatMap { [$0.x, $0.y] })
        })
}

/// y[n] = 2 · Σₖ x[k]·e^{−jωk}·h(k − t), t = n·F/F': mixes every sample, and filters when an output is due.
struct NaiveDownconverter {
    private let stepNumerator: Int
    private let stepDenominator: Int
    private let tapCount: Int
    private let oscillator: [ComplexSample]
    /// h for every fraction that t can have; shape [stepDenominator][tapCount].
    private let taps: [[Float]]

    init(inputRateHertz: Int, outputRateHertz: Int, centreHertz: Int) {
        func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }
        let common = divisor(inputRateHertz, outputRateHertz)
        stepNumerator = inputRateHertz / common
        stepDenominator = outputRateHertz / common
        let span = 128.0 / 48_000 * Double(inputRateHertz)
        let tapCount = Int((span / 8).rounded(.up)) * 8
        self.tapCount = tapCount
        let period = inputRateHertz / divisor(centreHertz, inputRateHertz)
        oscillator = (0..<period).map { n in
            let angle = -2 * Double.pi * Double(centreHertz * n % inputRateHertz) / Double(inputRateHertz)
            return ComplexSample(Float(cos(angle)), Float(sin(angle)))
        }
        let window = KaiserWindow(attenuationDecibels: 60)
        let bandwidth = Double(outputRateHertz) / Double(inputRateHertz)
        let denominator = stepDenominator
        taps = (0..<denominator).map { phase in
            let h = (0..<tapCount).map { tap in
                let u = Double(tap - tapCount / 2 + 1) - Double(phase) / Double(denominator)
                let sinc = u == 0 ? 1 : sin(.pi * bandwidth * u) / (.pi * bandwidth * u)
                return sinc * window(2 * u / span)
            }
            let gain = h.reduce(0, +)
            return h.map { Float(2 * $0 / gain) }
        }
    }

    func convert(_ x: [Float]) -> [ComplexSample] {
        let lead = tapCount / 2 - 1
        var mixed = [ComplexSample](repeating: ComplexSample(), count: lead + x.count)
        for n in x.indices {
            mixed[lead + n] = x[n] * oscillator[n % oscillator.count]
        }
        var y: [ComplexSample] = []
        var n = 0
        while case let first = n * stepNumerator / stepDenominator, first + tapCount <= mixed.count {
            let h = taps[n * stepNumerator % stepDenominator]
            var sum = ComplexSample()
            for tap in 0..<tapCount {
                sum += h[tap] * mixed[first + tap]
            }
            y.append(sum)
            n += 1
        }
        return y
    }
}
