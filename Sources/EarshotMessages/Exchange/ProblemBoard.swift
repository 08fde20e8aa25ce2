import Synchronization

/// All that is wrong now, by whom it concerns. Told once when the first has it, and once when the last has not any more.
final class ProblemBoard: Sendable {
    /// Who has a problem.
    enum Source: Sendable, Hashable {
        case operation(Int)
        case session
        case registering(Int)
        case reporting
        case reading
        case room
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

    /// For each listener.
    var stream: AsyncStream<ManagerProblem> { announcements.stream }

    /// It is wrong from now on.
    func begin(_ problem: ManagerProblem, for source: Source) {
        entries.withLock { entries in
            let isNew = entries[problem.kind] == nil
            entries[problem.kind, default: Entry(problem: problem, sources: [])].sources.insert(source)
            if isNew { tell(problem) }
        }
    }

    /// It is not wrong for them any more; nil for whatever is.
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

    /// It is wrong with the service, and nothing else is: for a source that has one trouble at a time.
    func replace(_ problem: ManagerProblem, for source: Source) {
        begin(problem, for: source)
        let others = entries.withLock { entries in
            entries.filter { $0.key != problem.kind && $0.value.sources.contains(source) }.map(\.key)
        }
        for kind in others { end(kind, for: source) }
    }

    /// Tells nothing any more.
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
