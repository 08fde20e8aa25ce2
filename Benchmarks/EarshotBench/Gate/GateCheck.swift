/// A property that must never become worse, and its measurement.
struct GateCheck: Codable {
    enum Verdict: String, Codable, CaseIterable {
        case passed
        case failed
        /// So far above the reference that the reference is outdated.
        case better
    }

    /// Its name in the table and for `--only`.
    var name: String
    var measured: String
    var wanted: String
    var verdict: Verdict
    /// The loss and its size, or the reason to record a new reference; nil if the check passed.
    var explanation: String?
    /// The command that repeats the check, if it failed.
    var again: String?

    /// A check that fails if there is any event.
    static func none(_ name: String, count: Int, of what: String, detail: String) -> GateCheck {
        GateCheck(
            name: name, measured: "\(count) \(what)", wanted: "0", verdict: count == 0 ? .passed : .failed,
            explanation: count == 0 ? nil : "\(count) \(what) where there must be none: \(detail)")
    }
}

/// A possible check; `--only` chooses the ones to make.
struct GateItem {
    var name: String
    var measure: (_ seed: UInt64) throws -> GateCheck

    init(_ name: String, _ measure: @escaping (_ seed: UInt64) throws -> GateCheck) {
        self.name = name
        self.measure = measure
    }
}
