import RealModule

/// 10·log10 of a ratio of powers.
public func decibels(_ powerRatio: Double) -> Double {
    10 * .log10(powerRatio)
}

/// The ratio of powers for that many decibels.
public func powerRatio(decibels: Double) -> Double {
    .pow(10, decibels / 10)
}
