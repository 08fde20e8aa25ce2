/// The patterns that an adapter scans for, and the share of time: the requests of all streams combined.
struct ScanPlan: Sendable, Equatable {
    /// Without duplicates.
    let patterns: [AdvertisementPattern]
    let power: ScanPower

    /// The plan for all requests; nil if there are none.
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
