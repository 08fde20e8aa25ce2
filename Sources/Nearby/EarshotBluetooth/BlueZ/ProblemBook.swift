import EarshotDiscovery

/// The problems of one user of an adapter: it reports when one begins and ends. There is at most one at a time.
struct ProblemBook: Sendable {
    /// A change of the problems.
    enum Change: Sendable, Equatable {
        case problem(DiscoveryProblem, detail: String)
        case solved(DiscoveryProblem)
    }

    private(set) var current: (problem: DiscoveryProblem, detail: String)?

    /// Sets the current problem; nil if there is none.
    mutating func set(_ problem: DiscoveryProblem?, detail: String = "") -> [Change] {
        let old = current
        guard old?.problem != problem else { return [] }
        current = problem.map { ($0, detail) }
        return (old.map { [.solved($0.problem)] } ?? []) + (problem.map { [.problem($0, detail: detail)] } ?? [])
    }
}
