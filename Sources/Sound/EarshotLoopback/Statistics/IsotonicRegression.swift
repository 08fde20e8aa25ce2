/// The rising curve closest to measurements, by pooling adjacent violators.
///
///     minimise Σ w·(f − y)²  subject to  f[0] ≤ f[1] ≤ …
///
/// Neighbours that fall instead of rising are replaced by their weighted mean until none do.
/// Source: Ayer, Brunk, Ewing, Reid, Silverman, An empirical distribution function for sampling with incomplete
/// information, Annals of Mathematical Statistics 26 (1955).
enum IsotonicRegression {
    /// f; shape [values.count].
    /// - Parameters:
    ///   - values: y.
    ///   - weights: w, above zero; shape [values.count].
    static func rising(_ values: [Double], weights: [Double]) -> [Double] {
        var pools: [(value: Double, weight: Double, count: Int)] = []
        for (value, weight) in zip(values, weights) {
            var pool = (value: value, weight: weight, count: 1)
            while let last = pools.last, last.value > pool.value {
                let sum = last.weight + pool.weight
                pool = ((last.value * last.weight + pool.value * pool.weight) / sum, sum, last.count + pool.count)
                pools.removeLast()
            }
            pools.append(pool)
        }
        return pools.flatMap { Array(repeating: $0.value, count: $0.count) }
    }
}
