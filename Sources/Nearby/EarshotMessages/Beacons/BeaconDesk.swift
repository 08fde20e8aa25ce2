import EarshotDiscovery
import NearbyWire

/// Hears beacons, asks the service for their attachments, and reports which messages are near.
actor BeaconDesk {
    /// The beacons and attachments that a subscription looks for.
    struct Need: Sendable, Equatable {
        let scan: BeaconScan
        let filter: AttachmentFilter
    }

    enum News: Sendable {
        /// The radio works.
        case opened(BeaconScan)
        /// The attachments that are near for a need.
        case present(Int, [BeaconAttachment])
    }

    private struct Scan {
        var book = BeaconBook()
        var isOpen = false
        let listening: Task<Void, Never>
    }

    /// The time between two searches for beacons that are gone. A sighting may shorten a beacon's patience.
    private static let expiryInterval: ClosedRange<Duration> = .milliseconds(100)...(.seconds(1))

    private let access: ServiceAccess
    private let source: @Sendable () -> (any BeaconSource<DiscoveryProblem>)?
    private let tell: @Sendable (News) -> Void
    private var needs: [Int: Need] = [:]
    private var session: ServiceSession?
    private var scans: [BeaconScan: Scan] = [:]
    private var attachments: AttachmentBook
    private var asking: Task<Void, Never>?
    private var retry: Retry
    private lazy var alarm = Alarm(access.timeline) { [weak self] in await self?.update() }

    /// - Parameter source: the radio; nil if there is none.
    init(
        _ access: ServiceAccess, source: @escaping @Sendable () -> (any BeaconSource<DiscoveryProblem>)?,
        tell: @escaping @Sendable (News) -> Void
    ) {
        self.access = access
        self.source = source
        self.tell = tell
        retry = Retry(access.backOff)
        attachments = AttachmentBook(memory: access.pace.attachmentMemory, delay: access.pace.reportDelay)
    }

    /// - Parameters:
    ///   - needs: the needs of all subscriptions, by number. The need of a number never changes.
    ///   - session: the session for look-ups; nil while there is none.
    func set(_ needs: [Int: Need], in session: ServiceSession?) {
        guard needs != self.needs || session != self.session else { return }
        if session != self.session || needs.isEmpty {
            asking?.cancel()
            asking = nil
            attachments.failed()
            retry.reset()
        }
        let new = needs.filter { self.needs[$0.key] == nil }
        (self.needs, self.session) = (needs, session)
        let wanted = Set(needs.values.map(\.scan))
        for scan in scans.keys where !wanted.contains(scan) {
            scans.removeValue(forKey: scan)?.listening.cancel()
            access.board.end(for: .beacons(scan))
        }
        for scan in wanted where scans[scan] == nil { start(scan) }
        if needs.isEmpty { access.board.leave(.lookingUp) }
        for (number, need) in new {
            if scans[need.scan]?.isOpen == true { tell(.opened(need.scan)) }
            tellPresent(number, need)
        }
        update()
    }

    /// Ends all scans, and waits until they have ended.
    func close() async {
        let listening = scans.values.map(\.listening)
        set([:], in: nil)
        for task in listening { await task.value }
    }

    private func start(_ scan: BeaconScan) {
        guard let source = source() else { return }
        access.note("looking for beacons\(scan.includesIBeacons ? "" : " other than iBeacons")")
        scans[scan] = Scan(listening: Task { for await event in source.events(scan) { take(event, of: scan) } })
    }

    private func take(_ event: BeaconEvent<DiscoveryProblem>, of scan: BeaconScan) {
        // A stopped scan may still have events.
        guard !Task.isCancelled, scans[scan] != nil else { return }
        switch event {
        case .sighting(let sighting):
            guard scan.includesIBeacons || sighting.beacon.kind != .iBeacon else { return }
            open(scan)
            guard scans[scan]?.book.see(sighting, now: access.timeline.now) == true else { return }
            // Most beacons in the air belong to others, and have no effect.
            for (number, need) in needs
            where need.scan == scan && !attachments.attachments(of: sighting.beacon, need.filter).isEmpty {
                tellPresent(number, need)
            }
            // While one beacon waits for its answer, an alarm is set, and further beacons join that look-up.
            if session == nil || !attachments.isWaiting { update() }
        case .problem(let problem, let detail):
            access.board.begin(ManagerProblem(.medium(problem, .bluetooth), detail: detail), for: .beacons(scan))
        case .solved(let problem): access.board.end(.medium(problem, .bluetooth), for: .beacons(scan))
        case .opened: open(scan)
        }
    }

    private func open(_ scan: BeaconScan) {
        guard scans[scan]?.isOpen == false else { return }
        scans[scan]?.isOpen = true
        tell(.opened(scan))
    }

    private func tellPresent(_ number: Int, _ need: Need) {
        let near = scans[need.scan]?.book.near ?? []
        tell(.present(number, near.flatMap { attachments.attachments(of: $0, need.filter) }))
    }

    private func tellAllPresent() {
        for (number, need) in needs { tellPresent(number, need) }
    }

    /// Forgets the beacons that are gone, sends the look-up that is due, and sets the alarm for the next one.
    private func update() {
        let now = access.timeline.now
        var isChange = false
        for scan in scans.keys where scans[scan]?.book.expire(now: now) == true { isChange = true }
        if isChange { tellAllPresent() }
        let interval = Self.expiryInterval
        var date = scans.values.compactMap(\.book.nextEnd).min().map {
            min(max($0, now + interval.lowerBound), now + interval.upperBound)
        }
        if let session, asking == nil {
            var beacons: AttachmentBook.Needs = [:]
            for need in needs.values { beacons[need.filter, default: []].formUnion(scans[need.scan]?.book.near ?? []) }
            if let due = attachments.dueAt(beacons, now: now).map({ max($0, retry.date) }) {
                if due <= now, let question = attachments.next(beacons, now: now) {
                    asking = Task { await ask(question, in: session) }
                } else {
                    date = min(date ?? due, due)
                }
            }
        }
        alarm.set(date)
    }

    private func ask(_ question: AttachmentBook.Question, in session: ServiceSession) async {
        do throws(ServiceFailure) {
            let answer = try await access.service.lookUp(question.beacons, question.filter, in: session)
            if Task.isCancelled { return }
            attachments.answered(answer, now: access.timeline.now)
            retry.reset()
            access.succeeded(.lookingUp)
            access.tell(.lookedUp(session))
            tellAllPresent()
        } catch {
            if Task.isCancelled { return }
            // There are no look-ups before there is another session.
            if error.isBadSession { return access.tell(.lost(session)) }
            attachments.failed()
            retry.failed(error, now: access.timeline.now)
            access.board.replace(error.problem, for: .lookingUp)
        }
        asking = nil
        update()
    }
}
