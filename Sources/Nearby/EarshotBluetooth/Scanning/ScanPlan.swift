/// What an adapter scans for, and how much of the time: the wishes of all streams together.
struct ScanPlan: Sendable, Equatable {
    /// Without doubles.
    let patterns: [AdvertisementPattern]
    let power: ScanPower

    /// The plan for all wishes; nil if there is none.
    init?(_ wishes: [(patterns: [AdvertisementPattern], power: ScanPower)]) {
        var patterns: [AdvertisementPattern] = []
        for wish in wishes {
            for pattern in wish.patterns where !patterns.contains(pattern) { patterns.append(pattern) }
        }
        guard !patterns.isEmpty else { return nil }
        self.patterns = patterns
        power = wishes.contains { $0.power == .continuous } ? .continuous : .low
    }
}
