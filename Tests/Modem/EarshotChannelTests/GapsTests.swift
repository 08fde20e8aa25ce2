import EarshotBasics
import EarshotChannel
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct GapsTests {
    private let ramp = StoredSound((1...10).map { Float($0) })

    /// Holes one by one: in the middle, next to each other, at either end, and beyond it.
    @Test func removedSamplesAreMissing() {
        let holes = Holes([0..<1, 3..<5, 5..<6, 9..<12, 20..<30])
        var gaps = Gaps(ramp, holes: holes, kind: .removed)
        #expect(gaps.readAll() == [2, 3, 7, 8, 9])
        #expect(gaps.readAll() == [])
    }

    @Test func silencedSamplesAreZero() {
        let holes = Holes([0..<1, 3..<5, 5..<6, 9..<12, 20..<30])
        var gaps = Gaps(ramp, holes: holes, kind: .silenced)
        #expect(gaps.readAll() == [0, 2, 3, 0, 0, 0, 7, 8, 9, 0])
    }

    @Test func piecesReportMissingSamples() {
        var gaps = Gaps(ramp, holes: Holes([0..<1, 3..<5, 5..<6, 9..<12]), kind: .removed)
        var pieces: [[Int]] = []
        var block = [Float](repeating: 0, count: 2)
        while true {
            var span = block.mutableSpan
            let piece = gaps.readPiece(into: &span)
            if piece == (0, 0) { break }
            pieces.append([piece.droppedCount] + block[..<piece.count].map { Int($0) })
        }
        #expect(pieces == [[1, 2, 3], [3, 7, 8], [0, 9], [1]])
    }

    /// The read and the dropped samples together restore the source's positions, for any block sizes.
    @Test func piecesKeepPlaces() {
        let source = (0..<200_000).map { Float($0) }
        let holes = Holes(perSecond: 50, lengthSeconds: 0.000_1...0.3, sampleRateHertz: 48_000, seed: 3)
        var gaps = Gaps(StoredSound(source), holes: holes, kind: .removed)
        var random = SeededGenerator(seed: 4)
        var position = 0
        var dropped: [Range<Int>] = []
        while true {
            var block = [Float](repeating: 0, count: Int.random(in: 1...5_000, using: &random))
            var span = block.mutableSpan
            let piece = gaps.readPiece(into: &span)
            if piece == (0, 0) { break }
            if piece.droppedCount > 0 { dropped.append(position..<position + piece.droppedCount) }
            position += piece.droppedCount
            #expect(block[..<piece.count].elementsEqual(source[position..<position + piece.count]))
            position += piece.count
        }
        #expect(position == source.count)
        let expected = holes.prefix(dropped.count).map { $0.clamped(to: 0..<source.count) }
        #expect(dropped == expected && dropped.count > 10, "seeds 3 and 4")
    }

    /// 2,000 holes, 20 in each second of intact sound. Their intervals have a mean of 2,400 samples ± 2.2 %. Their
    /// lengths are uniform from 480 to 960, with a mean of 720 ± 0.5 %. The limits are five times these deviations.
    @Test func randomHolesHaveTheirRateAndLengths() {
        let holes = Holes(perSecond: 20, lengthSeconds: 0.01...0.02, sampleRateHertz: 48_000, seed: 5).prefix(2_000)
        let ranges = Array(holes)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
        let lengths = ranges.map { Double($0.count) }
        #expect(lengths.allSatisfy { (480...960).contains($0) })
        let meanLength = lengths.reduce(0, +) / 2_000
        #expect(abs(meanLength - 720) < 18, "\(meanLength), seed 5")
        let gaps = zip(ranges, ranges.dropFirst()).map { Double($1.lowerBound - $0.upperBound) }
        let mean = gaps.reduce(0, +) / 1_999
        #expect(abs(mean / 2_400 - 1) < 0.11, "\(mean), seed 5")
    }

    @Test(arguments: Gaps.Kind.allCases)
    func isTheSameInAnyBlocks(kind: Gaps.Kind) {
        var random = SeededGenerator(seed: 5)
        let sound = StoredSound(random.samples(25_000))
        expectSameInAnyBlocks {
            Gaps(
                sound,
                holes: Holes(perSecond: 100, lengthSeconds: 0...0.02, sampleRateHertz: 48_000, seed: 6), kind: kind)
        }
    }
}
