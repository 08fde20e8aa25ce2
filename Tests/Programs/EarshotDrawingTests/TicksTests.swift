import EarshotDrawing
import Testing

struct TicksTests {
    struct Row {
        let range: ClosedRange<Double>
        let count: Int
        let values: [Double]
        let decimals: Int
    }

    private static let rows = [
        Row(range: 0...10, count: 10, values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], decimals: 0),
        Row(range: 0...100, count: 5, values: [0, 20, 40, 60, 80, 100], decimals: 0),
        Row(range: -12.3 ... -6.1, count: 4, values: [-12, -10, -8], decimals: 0),
        Row(range: 0...0.35, count: 4, values: [0, 0.1, 0.2, 0.3], decimals: 1),
        Row(range: -0.02...0.03, count: 5, values: [-0.02, -0.01, 0, 0.01, 0.02, 0.03], decimals: 2),
        Row(range: 999...1_001, count: 2, values: [999, 1_000, 1_001], decimals: 0),
        Row(range: 0...9e6, count: 3, values: [0, 5e6], decimals: 0),
        Row(range: 3.2...3.4, count: 1, values: [3.2, 3.4], decimals: 1),
        Row(range: 0.6...0.63, count: 3, values: [0.6, 0.61, 0.62, 0.63], decimals: 2),
    ]

    @Test(arguments: rows.indices)
    func stepsAreRound(index: Int) {
        let row = Self.rows[index]
        let ticks = Ticks(in: row.range, count: row.count)
        #expect(ticks.values == row.values)
        #expect(ticks.decimals == row.decimals)
    }

    @Test(arguments: [
        (1.0...1_000, [1.0, 10, 100, 1_000]), (0.02...5, [0.1, 1]), (2...9, []), (0.001...0.001, [0.001]),
    ])
    func decadesArePowersOfTen(row: (range: ClosedRange<Double>, values: [Double])) {
        #expect(Ticks.decades(in: row.range) == row.values)
    }
}
