import EarshotDSP
import Testing

struct LevelToleranceTests {
    @Test(
        arguments: [(-3.5, -2.5), (-1, 0), (-0.9, 0), (0, 0), (0.9, 0), (1, 0), (1.5, 0.5), (14, 13)]
            as [(Float, Float)])
    func onlyWhatIsBeyondCounts(deviation: Float, expected: Float) {
        #expect(LevelTolerance.beyond(deviation) == expected)
    }
}
