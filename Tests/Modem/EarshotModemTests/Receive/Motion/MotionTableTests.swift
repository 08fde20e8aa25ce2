import EarshotBasics
import EarshotCoding
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

@Suite(.optimized) struct MotionTableTests {
    /// λ of a tone is that of its offset if the offset is known, and otherwise between those of
    /// the offsets. A known tone makes its own λ.
    @Test(arguments: Profile.all) func tonesFollowTheWeightsOfOffsets(profile: Profile) throws {
        var random = SeededGenerator(seed: 90)
        let format = BasebandFormat(profile: profile)
        let history = BasebandHistory(keptCount: 60 * format.samplesPerSymbol)
        let noise = (0..<60 * format.samplesPerSymbol).map { _ in
            ComplexSample(Float.random(in: -1...1, using: &random), Float.random(in: -1...1, using: &random))
        }
        history.append(noise, 0..<noise.count)
        let measured = MeasuredFrame.token(profile, start: 64, in: history)
        var table = MotionTable(profiles: Profile.all, likelihood: FrameLikelihood())
        table.measure(
            measured.view, along: measured.view.track(), symbolCount: measured.view.layout.toneCount,
            profileIndex: index(measured.view.profile), measured.measurer)
        let (toneCount, reach) = (profile.toneCount, table.reach)
        func tones(_ symbol: Int, _ weights: [Int: Float]) -> [Float] {
            var all = [Float](repeating: 0, count: table.width)
            for (step, weight) in weights { all[reach + step] = weight }
            var metrics = [Float](repeating: 0, count: toneCount + 1)
            table.writeToneLikelihoods(symbol, all, into: &metrics, at: 1)
            return Array(metrics.dropFirst())
        }
        for symbol in [5, 20, 51] {
            for step in [-reach, -3, 0, 1, 4, reach] {
                let alone = tones(symbol, [step: 1])
                // The sum over all tones is the table's value for the offset.
                let mean = Float.log(alone.reduce(0) { $0 + .exp($1) } / Float(toneCount))
                #expect(abs(mean - table.values[symbol * table.width + reach + step]) < 0.02, "\(symbol), \(step)")
                guard step + MotionTable.stepsPerSpacing <= reach else { continue }
                // A spacing higher each tone is the next one.
                let higher = tones(symbol, [step + MotionTable.stepsPerSpacing: 1])
                #expect(zip(higher, alone.dropFirst()).allSatisfy { abs($0 - $1) < 0.02 }, "\(symbol), \(step)")
                let both = tones(symbol, [step: 0.5, step + MotionTable.stepsPerSpacing: 0.5])
                for tone in 0..<toneCount {
                    let expected = Float.log((.exp(alone[tone]) + .exp(higher[tone])) / 2)
                    #expect(abs(both[tone] - expected) < 0.02, "\(symbol), \(step), tone \(tone), seed 90")
                }
            }
            let alone = tones(symbol, [2: 1])
            table.setTone(7, of: symbol)
            #expect(abs(table.values[symbol * table.width + reach + 2] - alone[7]) < 0.02, "\(symbol), seed 90")
        }
    }

    /// A lost symbol favours no offset.
    @Test func aLostSymbolIsNeutral() {
        let format = BasebandFormat(profile: .fast)
        let history = BasebandHistory(keptCount: 60 * format.samplesPerSymbol)
        history.append([ComplexSample](repeating: ComplexSample(1, 0), count: 1_000), 0..<1_000)
        history.appendLost(1_000)
        let measured = MeasuredFrame.token(.fast, start: 0, in: history)
        var table = MotionTable(profiles: Profile.all, likelihood: FrameLikelihood())
        table.measure(
            measured.view, along: measured.view.track(), symbolCount: measured.view.layout.toneCount,
            profileIndex: index(measured.view.profile), measured.measurer)
        let (values, width) = (table.values, table.width)
        for symbol in 33..<52 {
            #expect(values[symbol * width..<(symbol + 1) * width].allSatisfy { abs($0) < 1e-5 }, "symbol \(symbol)")
        }
    }

    private func index(_ profile: Profile) -> Int { Profile.all.firstIndex { $0.name == profile.name } ?? 0 }
}
