import NearbyWire
import Synchronization

/// All unsolved problems, each with its sources. It announces a problem when the first source has it, and its solution
/// when the last source no longer has it.
final class ProblemBoard: Sendable {
    /// A part of the exchange that can have a problem.
    enum Source: Sendable, Hashable {
        case operation(Int)
        case session
        case registering(Int)
        case reporting
        case reading
        case room
        /// The agent, which runs this operation.
        case agent(Int)
        /// The source of beacons, in one of its scans.
        case beacons(BeaconScan)
        /// The look-ups of beacons.
        case lookingUp
        /// Requests to the service that are no longer repeated, because their operation ended.
        case formerRequests
    }

    private struct Entry: Sendable, Hashable {
        let problem: ManagerProblem
        var sources: Set<Source>
    }

    private let announcements = Announcements<ManagerProblem>([])
    private let entries = Mutex<[ManagerProblem.Kind: Entry]>([:])
    private let note: @Sendable (String) -> Void

    init(note: @escaping @Sendable (String) -> Void) {
        self.note = note
    }

    /// A new stream of the problems.
    var stream: AsyncStream<ManagerProblem> { announcements.stream }

    /// The source has the problem from now on.
    func begin(_ problem: ManagerProblem, for source: Source) {
        entries.withLock { entries in
            let isNew = entries[problem.kind] == nil
            entries[problem.kind, default: Entry(problem: problem, sources: [])].sources.insert(source)
            if isNew { tell(problem) }
        }
    }

    /// The source no longer has the problem of this kind; nil for all its problems.
    func end(_ kind: ManagerProblem.Kind? = nil, for source: Source) {
        entries.withLock { entries in
            for kind in kind.map({ [$0] }) ?? Array(entries.keys) {
                guard entries[kind]?.sources.remove(source) != nil, entries[kind]?.sources.isEmpty == true else {
                    continue
                }
                entries[kind] = nil
                tell(ManagerProblem(kind, isSolved: true))
            }
        }
    }

    /// Replaces all problems of a source of requests, and those of former requests, by one: each has one problem at a
    /// time.
    func replace(_ problem: ManagerProblem, for source: Source) {
        begin(problem, for: source)
        let sources: Set<Source> = [source, .formerRequests]
        let others = entries.withLock { entries in
            entries.filter { $0.key != problem.kind && !$0.value.sources.isDisjoint(with: sources) }.map(\.key)
        }
        for kind in others {
            for source in sources { end(kind, for: source) }
        }
    }

    /// The source has exactly these problems from now on.
    func set(_ problems: [ManagerProblem], for source: Source) {
        let kinds = Set(problems.map(\.kind))
        let old = entries.withLock { entries in
            entries.filter { $0.value.sources.contains(source) && !kinds.contains($0.key) }.map(\.key)
        }
        for kind in old { end(kind, for: source) }
        for problem in problems { begin(problem, for: source) }
    }

    /// The source makes no further requests. Its problem has not ended visibly, so it lasts until another request of
    /// any source succeeds or fails differently.
    func leave(_ source: Source) {
        entries.withLock { entries in
            for kind in entries.keys where entries[kind]?.sources.remove(source) != nil {
                entries[kind]?.sources.insert(.formerRequests)
            }
        }
    }

    /// Ends all streams.
    func finish() { announcements.finish() }

    private func tell(_ problem: ManagerProblem) {
        note(problem.isSolved ? "solved: \(problem.kind)" : "problem: \(problem.kind): \(problem.detail)")
        announcements.announce { current in
            current.removeAll { $0.kind == problem.kind }
            if !problem.isSolved { current.append(problem) }
            return [problem]
        }
    }
}
