import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// Input blocks of any size become the same quanta.
@Suite(.optimized) struct BasebandInputTests {
    private func input(keptCount: Int = 4_096) -> BasebandInput {
        BasebandInput(sampleRateHertz: 48_000, profiles: Profile.all, keptCount: keptCount, heardCount: 4_096)
    }

    /// The contents of the histories after each quantum, and the quantum's end.
    private func quanta(
        _ pieces: [(samples: Range<Int>, isLost: Bool)], _ samples: [Float]
    ) -> (ends: [Int], history: [ComplexSample], heard: [ComplexSample]) {
        var input = input()
        var ends: [Int] = []
        for (range, isLost) in pieces {
            if isLost { input.skip(range.count) } else { input.take(samples.span.extracting(range)) }
            while input.appendQuantum() {
                ends.append(input.history.endIndex)
                _ = input.cancelPilots()
            }
        }
        let end = ends.last ?? 0
        func all(_ history: BasebandHistory) -> [ComplexSample] {
            history.withSamples(from: 0, count: end) { x in x.indices.map { x[$0] } }
        }
        return (ends, all(input.history), all(input.heard))
    }

    @Test func anySplitGivesTheSameQuanta() {
        var random = SeededGenerator(seed: 93)
        let samples = random.samples(48_000)
        let lost = 20_000..<23_210
        func cut(_ lengths: ClosedRange<Int>) -> [(samples: Range<Int>, isLost: Bool)] {
            var random = SeededGenerator(seed: 94)
            let parts: [(Range<Int>, Bool)] = [
                (0..<lost.lowerBound, false), (lost, true), (lost.upperBound..<48_000, false),
            ]
            return parts.flatMap { part, isLost in
                random.pieces(of: part.count, lengths: lengths).map {
                    ($0.lowerBound + part.lowerBound..<$0.upperBound + part.lowerBound, isLost)
                }
            }
        }
        let whole = quanta(cut(BasebandInput.maximumBlock...BasebandInput.maximumBlock), samples)
        #expect(whole.ends == (1...whole.ends.count).map { BasebandFormat.quantum * $0 })
        for lengths in [1...20, 480...480] {
            let pieces = quanta(cut(lengths), samples)
            #expect(pieces.ends == whole.ends && pieces.history == whole.history && pieces.heard == whole.heard)
        }
    }

    /// A pilot tone is removed from the history, and stays in `heard`.
    @Test func theHistoryIsWithoutPilots() {
        var input = input()
        var cleanedIndex: Int?
        for first in stride(from: 0, to: 48_000, by: 480) {
            let samples = (first..<first + 480).map { 0.5 * Float(Double.sin(2 * .pi * 19_100 * Double($0) / 48_000)) }
            input.take(samples.span)
            while input.appendQuantum() { cleanedIndex = cleanedIndex ?? input.cancelPilots() }
        }
        func power(_ history: BasebandHistory) -> Double {
            ReplicaScene.power(ReplicaScene.samples(history, from: history.endIndex - 512, count: 512)) / 512
        }
        #expect(cleanedIndex != nil)
        // A sine of amplitude ½ has the baseband's power ¼; of the tone less than −40 dB is left.
        #expect(abs(power(input.heard) / 0.25 - 1) < 0.02)
        #expect(power(input.history) < 0.25e-4)
    }

    /// In a long hole the indices go back by whole rings, and the clock makes up for it.
    @Test(arguments: [48_000 * 60, 48_000 * 3_600]) func aLongHoleKeepsTime(sampleCount: Int) {
        var input = input(keptCount: 2_048)
        let tone = [Float](repeating: 0.1, count: BasebandInput.maximumBlock)
        input.take(tone.span)
        while input.appendQuantum() { _ = input.passOverHole() }
        input.skip(sampleCount)
        while input.appendQuantum() { _ = input.passOverHole() }
        let end = input.clock.inputSample(Double(input.history.endIndex))
        // Up to a quantum, 512 input samples, and the filter's delay are missing.
        #expect(abs(end - (sampleCount + tone.count)) < 2_048, "\(end)")
        #expect(input.history.endIndex < 40_000, "indices grow with the hole")
    }
}
