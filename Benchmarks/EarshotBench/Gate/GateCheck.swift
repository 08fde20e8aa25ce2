/// A property that must never become worse, and its measurement.
struct GateCheck: Codable {
    enum Verdict: String, Codable, CaseIterable {
        case passed
        case failed
        /// So far above the reference that the reference is out of date.
        case better
    }

    /// Its name in the table and for `--only`.
    var name: String
    var measured: String
    var wanted: String
    var verdict: Verdict
    /// What fell and by how much, or why to record the reference anew; nil if the check passed.
    var explanation: String?
    /// The command that repeats the check, if it failed.
    var again: String?

    /// A check that fails if there is one event or more.
    static func none(_ name: String, count: Int, of what: String, detail: String) -> GateCheck {
        GateCheck(
            name: name, measured: "\(count) \(what)", wanted: "0", verdict: count == 0 ? .passed : .failed,
            explanation: count == 0 ? nil : "\(count) \(what) where there must be none: \(detail)")
    }
}

/// A check that can be made; `--only` decides whether it is.
struct GateItem {
    var name: String
    var measure: (_ seed: UInt64) throws -> GateCheck

    init(_ name: String, _ measure: @escaping (_ seed: UInt64) throws -> GateCheck) {
        self.name = name
        self.measure = measure
    }
}
