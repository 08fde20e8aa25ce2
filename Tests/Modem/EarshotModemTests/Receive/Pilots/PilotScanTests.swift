import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// The place where the scan sees a steady tone, and its rare false alarms in noise.
@Suite(.optimized) struct PilotScanTests {
    /// Appends noise of power 2/3 a sample and a tone, a quantum at a time, and counts the looks that found something.
    private func scan(
        _ cyclesPerSample: Double?, amplitude: Float, seconds: Int, seed: UInt64,
        onPlace: (PilotScan.Place) -> Void = { _ in }
    ) -> (looks: Int, found: Int) {
        var random = SeededGenerator(seed: seed)
        let history = BasebandHistory(keptCount: 2_048)
        var scan = PilotScan()
        var (looks, found) = (0, 0)
        for first in stride(from: 0, to: 3_000 * seconds, by: BasebandFormat.quantum) {
            let x = (first..<first + BasebandFormat.quantum).map { n -> ComplexSample in
                let turns = ((cyclesPerSample ?? 0) * Double(n)).truncatingRemainder(dividingBy: 1)
                let tone = ComplexSample(Float(Double.cos(2 * .pi * turns)), Float(Double.sin(2 * .pi * turns)))
                return ComplexSample(
                    Float.random(in: -1...1, using: &random), Float.random(in: -1...1, using: &random))
                    + (cyclesPerSample == nil ? ComplexSample() : amplitude * tone)
            }
            history.append(x, 0..<x.count)
            guard PilotScan.isDue(history), scan.look(history) else { continue }
            looks += 1
            if let place = scan.loudest() {
                found += 1
                onPlace(place)
            }
        }
        return (looks, found)
    }

    /// A look comes every 256 samples, except for the first two; whole quanta are appended, 30,016 samples.
    @Test func looksComeEvery85Milliseconds() {
        let looks = scan(nil, amplitude: 0, seconds: 10, seed: 75).looks
        #expect(looks == (30_016 - 64) / 256 + 1 - 2)
    }

    /// A tone 20 dB above the noise of a bin is seen in every look, within half a bin. 64 samples of power P under Hann's window have
    /// 64·P/1.5 times a sample's noise: amplitude 1.25 for P/σ² = 2.35, 20 dB.
    @Test(arguments: [-0.49, -0.4, -0.25, -0.02, 0.1, 0.25, 0.45]) func aToneIsSeen(cyclesPerSample: Double) {
        let (looks, found) = scan(cyclesPerSample, amplitude: 1.25, seconds: 10, seed: 76) { place in
            #expect(abs(place.cyclesPerSample - cyclesPerSample) <= 0.75 / 64, "\(place.cyclesPerSample), seed 76")
        }
        #expect(found == looks, "\(found) of \(looks), seed 76")
    }

    /// In noise, three neighbouring values exceed 10 dB by chance once in ten hours. In 10 minutes, 7,030 looks, that
    /// is a probability of 1/60 for one, and 10⁻⁴ for two.
    @Test func noiseIsSilent() {
        #expect(scan(nil, amplitude: 0, seconds: 600, seed: 77).found <= 1, "seed 77")
    }

    /// A place that the caller passed over, and its neighbours, do not return in the same look.
    @Test func aPlaceIsPassedOver() {
        let history = BasebandHistory(keptCount: 2_048)
        var scan = PilotScan()
        var places: [Double] = []
        for first in stride(from: 0, to: 1_024, by: BasebandFormat.quantum) {
            let x = (first..<first + BasebandFormat.quantum).map { n -> ComplexSample in
                let (a, b) = (2 * Double.pi * 0.125 * Double(n), 2 * Double.pi * -0.1875 * Double(n))
                return ComplexSample(Float(Double.cos(a) + 0.5 * .cos(b)), Float(Double.sin(a) + 0.5 * .sin(b)))
            }
            history.append(x, 0..<x.count)
            guard PilotScan.isDue(history), scan.look(history) else { continue }
            while let place = scan.loudest(), places.count < 9 {
                places.append(place.cyclesPerSample)
                scan.passOver(place)
            }
            break
        }
        #expect(Array(places.prefix(2)) == [0.125, -0.1875])
    }

    /// 0.47 % of the spectra of noise have a loud bin, and a look takes two spectra: 66 of 7,030 looks, in pairs, so
    /// with a deviation of √(2·66) = 11.5. The limit is 3.8 deviations away. A tone 20 dB above a bin's noise is loud,
    /// even if it moves by a bin within the window.
    @Test func loudBinsAreRareInNoise() {
        var random = SeededGenerator(seed: 78)
        let history = BasebandHistory(keptCount: 2_048)
        var scan = PilotScan()
        var loudCount = 0
        for first in stride(from: 0, to: 3_000 * 600, by: BasebandFormat.quantum) {
            let x = (first..<first + BasebandFormat.quantum).map { _ in
                ComplexSample(Float.random(in: -1...1, using: &random), Float.random(in: -1...1, using: &random))
            }
            history.append(x, 0..<x.count)
            guard PilotScan.isDue(history) else { continue }
            _ = scan.look(history)
            loudCount += scan.hasLoudBin ? 1 : 0
        }
        #expect(loudCount < 110, "\(loudCount), seed 78")
        let tone = (0..<64).map { n in
            let turns = 0.1 * Double(n) + Double(n * n) / 64 / 128
            return ComplexSample(1.5, 0).times(unitPhasor(turns: turns - turns.rounded()))
        }
        history.append(tone, 0..<64)
        _ = scan.look(history)
        let isLoud = scan.hasLoudBin
        #expect(isLoud)
    }
}
