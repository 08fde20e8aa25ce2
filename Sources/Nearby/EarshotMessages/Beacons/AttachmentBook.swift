import NearbyWire

/// The service's answers about beacons, and the next look-up. It has no clock and sends nothing: the caller passes the
/// time since the manager began.
///
/// Each beacon is looked up once for each filter. The answer is valid for a while, also an empty one. If the beacon is
/// still near after that, it is looked up again; until the new answer comes, the old one remains valid.
struct AttachmentBook: Sendable {
    /// The maximum number of beacons in a look-up.
    static let beaconsPerQuestion = 50
    /// The maximum number of remembered answers.
    static let maximumCount = 10_000

    /// A look-up at the service.
    struct Question: Sendable, Hashable {
        let filter: AttachmentFilter
        let beacons: [BeaconIdentifier]
    }

    /// Each filter with the beacons that are near for its subscriptions.
    typealias Needs = [AttachmentFilter: Set<BeaconIdentifier>]

    private struct Key: Hashable {
        let filter: AttachmentFilter
        let beacon: BeaconIdentifier
    }

    private struct Answer {
        var attachments: [BeaconAttachment]
        var due: Duration
    }

    private let memory: Duration
    private let delay: Duration
    private var answers: [Key: Answer] = [:]
    private var asked: Question?
    /// When the first beacon without an answer came near.
    private var waitingSince: Duration?

    /// - Parameters:
    ///   - memory: how long an answer is valid.
    ///   - delay: how long the first new beacon waits for others.
    init(memory: Duration, delay: Duration) {
        self.memory = memory
        self.delay = delay
    }

    /// The number of remembered answers.
    var count: Int { answers.count }

    /// Whether a beacon waits for its first answer.
    var isWaiting: Bool { waitingSince != nil }

    /// The attachments of a beacon; empty if it has none, or if there is no answer yet.
    func attachments(of beacon: BeaconIdentifier, _ filter: AttachmentFilter) -> [BeaconAttachment] {
        answers[Key(filter: filter, beacon: beacon)]?.attachments ?? []
    }

    /// The time of the next look-up; nil if none is needed.
    mutating func dueAt(_ needs: Needs, now: Duration) -> Duration? {
        var due: Duration?
        var isWaiting = false
        for (filter, beacons) in needs {
            for beacon in beacons {
                let answer = answers[Key(filter: filter, beacon: beacon)]
                isWaiting = isWaiting || answer == nil
                guard let end = answer?.due else { continue }
                due = min(due ?? end, end)
            }
        }
        waitingSince = isWaiting ? waitingSince ?? now : nil
        guard let waitingSince else { return due }
        return min(due ?? waitingSince + delay, waitingSince + delay)
    }

    /// The look-up to send now; nil if none is due. `answered` or `failed` must follow before the next one.
    mutating func next(_ needs: Needs, now: Duration) -> Question? {
        guard asked == nil, let due = dueAt(needs, now: now), due <= now else { return nil }
        for (filter, beacons) in needs {
            let questions = beacons.filter { beacon in
                answers[Key(filter: filter, beacon: beacon)].map { $0.due <= now } ?? true
            }
            guard !questions.isEmpty else { continue }
            // Beacons without any answer first.
            let (new, old) = (
                questions.filter { answers[Key(filter: filter, beacon: $0)] == nil },
                questions.filter { answers[Key(filter: filter, beacon: $0)] != nil }
            )
            asked = Question(
                filter: filter, beacons: Array((Array(new) + Array(old)).prefix(Self.beaconsPerQuestion)))
            return asked
        }
        return nil
    }

    /// The service answered.
    /// - Parameter attachments: those of each beacon that has any. A beacon without any is unknown to the service, or
    ///   belongs to another project.
    mutating func answered(_ attachments: [BeaconIdentifier: [BeaconAttachment]], now: Duration) {
        guard let asked else { return }
        self.asked = nil
        for beacon in asked.beacons {
            let selected = (attachments[beacon] ?? []).filter { asked.filter.selects($0.message) }
            answers[Key(filter: asked.filter, beacon: beacon)] = Answer(attachments: selected, due: now + memory)
        }
        if answers.count > Self.maximumCount {
            // Forgets a tenth at once, so that this happens rarely; beacons without attachments first, because there
            // may be any number of them.
            let oldest = answers.sorted {
                ($0.value.attachments.isEmpty ? 0 : 1, $0.value.due) < (
                    $1.value.attachments.isEmpty ? 0 : 1, $1.value.due
                )
            }
            for (key, _) in oldest.prefix(Self.maximumCount / 10) { answers[key] = nil }
        }
    }

    /// The look-up failed, and is still due.
    mutating func failed() {
        asked = nil
    }
}
