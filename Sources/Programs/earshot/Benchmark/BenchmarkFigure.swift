/// A figure that is compared with that of an earlier run: lower is better.
struct BenchmarkFigure: Equatable {
    /// Its name in both runs, such as "standard, noise".
    var name: String
    var value: Double
    /// Its unit in the sentence about a worse figure.
    var unit: String

    /// Whether it is worse than `baseline` by more than the share `tolerance`. For a baseline of zero, any increase is
    /// worse.
    func isWorse(than baseline: Double, tolerance: Double) -> Bool {
        value > baseline * (1 + tolerance)
    }
}
