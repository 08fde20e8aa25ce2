import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// The products of a symbol's samples with all tones against the sum written out.
@Suite(.optimized) struct ToneTransformTests {
    private static let symbol = 3
    private static let start = 100.4

    /// Tone m of the replica: 0.5·k + f·(n − s)/F + (m − M/2 + ½)·v/N turns, v = (n − symbol's start)·stretch.
    private func tone(
        _ m: Int, _ format: BasebandFormat, firstIndex: Int, offsetHertz: Double, count: Int
    ) -> [ComplexDouble] {
        let length = Double(format.samplesPerSymbol)
        let stretch = 1 + offsetHertz / Double(format.profile.centreHertz)
        let symbolStart = Self.start + Double(Self.symbol) * length / stretch
        return (0..<count).map { n in
            let place = Double(firstIndex + n)
            let own = (Double(m - format.profile.toneCount / 2) + 0.5) * (place - symbolStart) * stretch / length
            return .phasor(
                turns: 0.5 * Double(Self.symbol) + offsetHertz * (place - Self.start) / Double(format.rateHertz) + own)
        }
    }

    private func products(
        _ y: [ComplexSample], _ format: BasebandFormat, firstIndex: Int, offsetHertz: Float, turn: ComplexSample,
        scale: Float
    ) -> [ComplexSample] {
        var plan = FFTPlan(length: 256)
        plan.load(y, 0..<256)
        var transform = ToneTransform(format: format)
        transform.measure(
            plan, scale: scale, turn: turn, format, symbol: Self.symbol, firstIndex: firstIndex, start: Self.start,
            offsetHertz: offsetHertz)
        return (0..<format.profile.toneCount).map { transform[$0] }
    }

    /// Random samples at no offset: Σ s*[n]·y[n]·turn·scale. Single precision has 24 bits; a fast phasor is good to −110 dB and a
    /// sum of N ≤ 128 samples of magnitude below 1.5 to 10⁻³.
    @Test(arguments: Profile.all, [UInt64(1), 2, 3]) func isTheSumWrittenOut(profile: Profile, seed: UInt64) {
        let format = BasebandFormat(profile: profile)
        let length = format.samplesPerSymbol
        var random = SeededGenerator(seed: seed)
        let y = random.complex(length)
        let turn = ComplexSample(0.6, -0.8)
        let firstIndex = 100 + Self.symbol * length + Int.random(in: -3...3, using: &random)
        let found = products(y, format, firstIndex: firstIndex, offsetHertz: 0, turn: turn, scale: 0.5)
        for m in 0..<profile.toneCount {
            let s = tone(m, format, firstIndex: firstIndex, offsetHertz: 0, count: length)
            let sum = (0..<length).reduce(ComplexDouble()) {
                $0 + ComplexDouble(y[$1]).times(ComplexDouble(s[$1].x, -s[$1].y))
            }
            let expected = 0.5 * sum.times(ComplexDouble(turn))
            let error = (ComplexDouble(found[m]) - expected).power.squareRoot()
            #expect(error < 1e-3, "tone \(m) of \(profile), seed \(seed)")
        }
    }

    /// A tone's own replica gives N, and the other tones almost nothing, even at the largest offset. There the
    /// tones are 0.5 % too far apart for the transform: the outermost is M/2·0.005·½ turns off at a symbol's
    /// ends, 0.5 radians for M = 64. The mean of a phase error of ±a radians is sin(a)/a, 0.96, and leaves as
    /// much as a/2 = 25 % in the tone beside it.
    @Test(arguments: Profile.all, [-0.005, 0, 0.005]) func aToneHasItsOwnProduct(profile: Profile, relative: Double) {
        let format = BasebandFormat(profile: profile)
        let length = format.samplesPerSymbol
        let offsetHertz = relative * Double(profile.centreHertz)
        let firstIndex = 100 + Self.symbol * length
        for m in 0..<profile.toneCount {
            let y = tone(m, format, firstIndex: firstIndex, offsetHertz: offsetHertz, count: length).map {
                ComplexSample($0)
            }
            let found = products(
                y, format, firstIndex: firstIndex, offsetHertz: Float(offsetHertz), turn: ComplexSample(1, 0), scale: 1)
            for other in 0..<profile.toneCount {
                let expected = ComplexSample(other == m ? Float(length) : 0, 0)
                let limit = (other == m ? 0.05 : relative == 0 ? 0.001 : 0.25) * Float(length)
                let error = magnitude(found[other] - expected)
                #expect(error < limit, "tones \(m) and \(other) of \(profile): \(error / Float(length)) of a symbol")
            }
        }
    }
}
