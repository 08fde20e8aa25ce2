/// A figure that is compared with that of an earlier run: less is better.
struct BenchmarkFigure: Equatable {
    /// Its name in both runs, such as "standard, noise".
    var name: String
    var value: Double
    /// Its unit in the sentence that says what became worse.
    var unit: String

    /// Whether it is worse than `baseline` by more than the share `tolerance`. Counts of zero have no share: one more is worse.
    func isWorse(than baseline: Double, tolerance: Double) -> Bool {
        value > baseline * (1 + tolerance)
    }
}
