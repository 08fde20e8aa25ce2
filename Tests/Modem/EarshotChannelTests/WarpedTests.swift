import EarshotBasics
import EarshotChannel
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct WarpedTests {
    private static let pacing = MotionPath.pacing(meanMetres: 2, swingMetres: 0.5, periodSeconds: 1.1, phaseTurns: 0.2)
    private static let passing = MotionPath.walkingBy(metresPerSecond: 1.4, nearestMetres: 0.5, nearestAtSeconds: 0.6)
    private static let turning = MotionPath(
        startMetres: 4,
        legs: [.init(seconds: 0.5, metresPerSecond: -1.4), .init(seconds: 0.5, metresPerSecond: 1.4)],
        turningSeconds: 0.2)

    private func tone(_ hertz: Double, rate: Int, count: Int, turns: Double = 0) -> [Float] {
        (0..<count).map { n in Float(ComplexDouble.phasor(turns: hertz / Double(rate) * Double(n) + turns).x) }
    }

    private func warped(_ x: [Float], _ warp: TimeWarp) -> [Float] {
        var source = Warped(StoredSound(x), warp)
        return source.readAll()
    }

    /// A talker's path: y[n] = x(n − F·(d(n/F) − d(0))/c), with the path as a formula in the test.
    ///
    /// Tolerance as for `TimeScale`: a ripple of 1e-4, and 4e-6 between phases. ×3.
    @Test(arguments: [44_100, 48_000])
    func tonesArriveWhereTheyWereSent(rate: Int) throws {
        let paths: [(MotionPath, (Double) -> Double)] = [
            (Self.pacing, { 2 + 0.5 * .sin(2 * .pi * ($0 / 1.1 + 0.2)) }),
            (Self.passing, { (0.25 + 1.96 * ($0 - 0.6) * ($0 - 0.6)).squareRoot() }),
            // A parabola of 14 m/s² about 0.5 s, 0.07 m short of the corner.
            (
                Self.turning,
                { t in
                    let fromTurn = abs(t - 0.5)
                    let away = fromTurn < 0.1 ? 0.07 + 7 * fromTurn * fromTurn : 1.4 * fromTurn
                    guard t > 0.9 else { return 3.3 + away }
                    // The speed falls from 1.4 m/s to zero between 0.9 and 1.1 s.
                    let u = min(t, 1.1) - 0.9
                    return 3.3 + 0.56 + 1.4 * u - 3.5 * u * u
                }
            ),
        ]
        for hertz in [1_000.0, 18_500, 19_800] {
            let x = tone(hertz, rate: rate, count: rate)
            for (path, distance) in paths {
                let y = warped(x, .motion(path, sampleRateHertz: rate))
                try #require(y.count > rate - 400)
                for n in stride(from: 100, to: y.count - 100, by: 7) {
                    let seconds = Double(n) / Double(rate)
                    let place = Double(n) - Double(rate) * (distance(seconds) - distance(0)) / 343
                    let expected = ComplexDouble.phasor(turns: hertz / Double(rate) * place).x
                    #expect(abs(Double(y[n]) - expected) < 3e-4, "sample \(n) at \(hertz) Hz")
                }
            }
        }
    }

    /// f·(1 − v/c), measured from the phase of a tone's cosine and sine over 48 samples about the instant.
    ///
    /// Phases are good to 3e-4·√2 rad, and 1/(2π·1 ms) of that is 0.07 Hz. Shifts here go up to 160 Hz.
    @Test func instantaneousFrequencyHasTheDopplerShift() {
        let warp = TimeWarp.motion(Self.pacing, sampleRateHertz: 48_000)
        let cosine = warped(tone(19_250, rate: 48_000, count: 60_000), warp)
        let sine = warped(tone(19_250, rate: 48_000, count: 60_000, turns: -0.25), warp)
        var largest = 0.0
        for n in stride(from: 400, to: 59_000, by: 331) {
            func z(_ n: Int) -> ComplexDouble { ComplexDouble(Double(cosine[n]), Double(sine[n])) }
            // Subtracts the phase of 19,250 Hz over 48 samples.
            let turned = z(n + 24).times(z(n - 24) * ComplexDouble(1, -1)).times(.phasor(turns: -19.25))
            let measured = Double.atan2(y: turned.y, x: turned.x) / (2 * .pi) / 0.001
            let seconds = Double(n) / 48_000
            let speed = 0.5 * 2 * .pi / 1.1 * Double.cos(2 * .pi * (seconds / 1.1 + 0.2))
            #expect(abs(measured + 19_250 * speed / 343) < 0.07, "sample \(n)")
            #expect(abs(Self.pacing.metresPerSecond(atSeconds: seconds) - speed) < 1e-9)
            largest = max(largest, abs(measured))
        }
        #expect(largest > 155)
    }

    /// The level of a tone and of the residual beside it, by least squares. A passed tone
    /// has its full level; a stopped one has none.
    private func level(_ y: [Float], hertz: Double, rate: Int) -> (decibels: Double, rest: Double) {
        // A whole number of periods of both rates.
        let inner = y[2_000..<2_000 + rate / 2].map { Double($0) }
        let energy = Reference.toneEnergy(
            inner.map { ComplexDouble($0, 0) }, cyclesPerSample: hertz / Double(rate))
        let power = inner.reduce(0) { $0 + $1 * $1 } / Double(inner.count)
        return (decibels(4 * energy), decibels(max(2 * power - 4 * energy, 1e-12)))
    }

    /// Flat to 0.01 dB up to 0.461 of the lower rate; a Kaiser window of 80 dB leaves ripples of 1e-4, 0.001 dB, and
    /// the residual is at most 80 dB down.
    @Test(arguments: [(48_000, 44_100), (44_100, 48_000), (96_000, 48_000), (48_000, 96_000), (96_000, 44_100)])
    func conversionKeepsTheBand(from: Int, to: Int) {
        let conversion = TimeWarp.conversion(from: from, to: to)
        for hertz in [1_000.0, 18_500, 19_250, 20_000, 20_300] {
            let y = warped(tone(hertz, rate: from, count: from), conversion)
            #expect(y.count == to)
            let measured = level(y, hertz: hertz, rate: to)
            #expect(abs(measured.decibels) < 0.01, "\(hertz) Hz: \(measured.decibels) dB")
            #expect(measured.rest < -78, "\(hertz) Hz: \(measured.rest) dB beside it")
        }
    }

    /// Frequencies that the new rate cannot carry, from half of it on, are 80 dB down and do not fold to their alias.
    @Test(arguments: [(48_000, 44_100), (96_000, 48_000), (96_000, 44_100)])
    func nothingFolds(from: Int, to: Int) {
        let conversion = TimeWarp.conversion(from: from, to: to)
        for hertz in stride(from: Double(to) / 2 + 10, to: Double(from) / 2, by: 970) {
            let y = warped(tone(hertz, rate: from, count: from), conversion)
            let power = y[2_000..<to - 2_000].reduce(0) { $0 + Double($1 * $1) } / Double(to - 4_000)
            #expect(decibels(2 * power) < -79, "\(hertz) Hz: \(decibels(2 * power)) dB")
        }
    }

    private static let warps: [TimeWarp] = [
        .steady(relativeOffset: 0), .steady(relativeOffset: 0.004, fractionalDelay: 0.3),
        .steady(relativeOffset: -0.03), .motion(passing, sampleRateHertz: 48_000),
        .motion(turning, sampleRateHertz: 48_000), .conversion(from: 48_000, to: 44_100),
        .conversion(from: 8_000, to: 48_000), .conversion(from: 96_000, to: 12_000),
    ]

    @Test(arguments: [0, 1, 20, 4_096, 10_000])
    func blocksOfAnySizeGiveTheSame(count: Int) {
        var random = SeededGenerator(seed: 61)
        let x = random.samples(count)
        for (index, warp) in Self.warps.enumerated() {
            let source = Warped(StoredSound(x), warp)
            var whole = source
            let expected = whole.readAll()
            // The output continues while its places are within x.
            #expect(warp.place(ofOutput: expected.count) >= Double(count), "warp \(index)")
            #expect(expected.isEmpty || warp.place(ofOutput: expected.count - 1) < Double(count), "warp \(index)")
            expectSameInAnyBlocks(count: expected.count + 10) { source }
        }
    }

    @Test func placesAreFoundBackwards() {
        for (index, warp) in Self.warps.enumerated() {
            for n in [0, 1, 1_000, 24_000, 200_000] {
                #expect(abs(warp.output(ofPlace: warp.place(ofOutput: n)) - Double(n)) < 1e-6, "warp \(index)")
            }
        }
    }

    /// The microphone receives no sound before it was sent, and a receding one receives the sound for longer.
    @Test func nothingArrivesBeforeItIsSent() {
        let away = MotionPath(startMetres: 1, legs: [.init(seconds: 2, metresPerSecond: 150)], turningSeconds: 0)
        let y = warped([Float](repeating: 1, count: 1_000), .motion(away, sampleRateHertz: 1_000))
        // Sound arrives at 1 − 150/343 of its speed: 1,000/0.5627 = 1,777.2 samples, and sample 0.
        #expect(y.count == 1_778)
        #expect(y[100...1_600].allSatisfy { abs($0 - 1) < 3e-4 })
    }
}
