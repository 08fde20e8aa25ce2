/// One thing that must never become worse, and what was found.
struct GateCheck: Codable {
    enum Verdict: String, Codable, CaseIterable {
        case passed
        case failed
        /// So far above the reference that the reference is out of date.
        case better
    }

    /// What it is called in the table and by `--only`.
    var name: String
    var measured: String
    var wanted: String
    var verdict: Verdict
    /// What fell and by how much, or why the reference should be recorded anew; nothing where all is as it was.
    var explanation: String?
    /// The command that shows it again, where it failed.
    var again: String?

    /// For what is bad as soon as there is one of it.
    static func none(_ name: String, count: Int, of what: String, detail: String) -> GateCheck {
        GateCheck(
            name: name, measured: "\(count) \(what)", wanted: "0", verdict: count == 0 ? .passed : .failed,
            explanation: count == 0 ? nil : "\(count) \(what) where there must be none: \(detail)")
    }
}

/// How a check is made; asked only where `--only` wants it.
struct GateItem {
    var name: String
    var measure: (_ seed: UInt64) throws -> GateCheck

    init(_ name: String, _ measure: @escaping (_ seed: UInt64) throws -> GateCheck) {
        self.name = name
        self.measure = measure
    }
}
