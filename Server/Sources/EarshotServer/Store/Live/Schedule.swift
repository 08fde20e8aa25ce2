/// The times at which items are due, in steps of a quarter of a second, each item once.
///
/// An item may be returned up to a step before it is due: the caller checks, and schedules it again.
struct Schedule<Item: Hashable & Sendable>: Sendable {
    private var items: [Int64: Set<Item>] = [:]
    private var steps: [Item: Int64] = [:]
    /// No item is due before this step.
    private var earliest = Int64.max

    var isEmpty: Bool { steps.isEmpty }

    private static func step(_ moment: Moment) -> Int64 { moment.milliseconds >> 8 }

    /// Schedules or reschedules an item.
    mutating func set(_ item: Item, at moment: Moment) {
        let step = Self.step(moment)
        guard steps[item] != step else { return }
        remove(item)
        steps[item] = step
        items[step, default: []].insert(item)
        earliest = min(earliest, step)
    }

    /// Schedules an item no later than at `moment`.
    mutating func advance(_ item: Item, to moment: Moment) {
        if steps[item].map({ $0 > Self.step(moment) }) ?? true { set(item, at: moment) }
    }

    mutating func remove(_ item: Item) {
        guard let step = steps.removeValue(forKey: item) else { return }
        items[step]?.remove(item)
        if items[step]?.isEmpty == true { items[step] = nil }
    }

    func isDue(_ now: Moment) -> Bool { earliest <= Self.step(now) }

    /// Removes and returns items that are due, the oldest first, at most `limit`.
    mutating func takeDue(_ now: Moment, limit: Int) -> [Item] {
        guard isDue(now) else { return [] }
        var due: [Item] = []
        for step in items.keys.filter({ $0 <= Self.step(now) }).sorted() {
            for item in items[step] ?? [] where due.count < limit {
                due.append(item)
                remove(item)
            }
        }
        earliest = items.keys.min() ?? .max
        return due
    }
}
