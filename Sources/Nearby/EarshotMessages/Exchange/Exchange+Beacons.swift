import EarshotBasics
import EarshotDiscovery
import NearbyWire

/// Beacons: hears them, asks the service what is attached, and reports the messages as found and lost.
extension Exchange {
    /// A scan that subscriptions need, and the beacons that it hears.
    struct Scan {
        var book = BeaconBook()
        /// Whether the radio has worked.
        var isOpen = false
        var listening: Task<Void, Never>?
    }

    /// The minimum and the maximum time between two searches for beacons that are gone.
    private static var expiryInterval: ClosedRange<Duration> { .milliseconds(100)...(.seconds(1)) }

    // MARK: Scanning

    /// The scan that an operation needs.
    /// - Returns: nil if it needs none, or, with a problem, if this program cannot hear beacons.
    func chooseScan(for operation: OperationCore) -> BeaconScan? {
        guard let beacons = operation.beacons else { return nil }
        guard openedSource() != nil else {
            board.begin(
                ManagerProblem(.unsupportedMedium(.bluetooth), detail: "This program has no radio for beacons."),
                for: .operation(operation.number))
            return nil
        }
        if beacons.isAllowedInBackground, !configuration.isAgent, configuration.agent == nil {
            board.begin(
                ManagerProblem(
                    .noBackground(.bluetooth), detail: "Beacons are looked for only while the program itself runs."),
                for: .operation(operation.number))
        }
        return beacons.scan
    }

    private func openedSource() -> (any BeaconSource<DiscoveryProblem>)? {
        if let beaconSource { return beaconSource }
        let source = configuration.beacons?()
        beaconSource = .some(source)
        return source
    }

    /// Starts the scans and loops that the operations need, and stops the others.
    func updateScans() {
        let needed = Set(entries.values.filter(\.isRunning).compactMap(\.scan))
        for scan in scans.keys where !needed.contains(scan) {
            scans.removeValue(forKey: scan)?.listening?.cancel()
            board.end(for: .beacons(scan))
        }
        for scan in needed where scans[scan] == nil {
            guard let source = openedSource() else { continue }
            scans[scan] = Scan()
            note("looking for beacons\(scan.includesIBeacons ? "" : " other than iBeacons")")
            scans[scan]?.listening = Task {
                for await event in source.events(scan) { take(event, of: scan) }
            }
        }
        if needed.isEmpty {
            for task in [lookingUp, lookUpSleeper, expiring] { task?.cancel() }
            (lookingUp, expiring) = (nil, nil)
            board.leave(.lookingUp)
            return
        }
        if lookingUp == nil { lookingUp = Task { await keepLookingUp() } }
        if expiring == nil { expiring = Task { await keepExpiring() } }
    }

    private func take(_ event: BeaconEvent<DiscoveryProblem>, of scan: BeaconScan) {
        // A stopped scan may still have events.
        guard !Task.isCancelled, scans[scan] != nil else { return }
        switch event {
        case .sighting(let sighting):
            guard scan.includesIBeacons || sighting.beacon.kind != .iBeacon else { return }
            open(scan)
            guard scans[scan]?.book.see(sighting, now: now) == true else { return }
            updateMessages(at: sighting.beacon)
            if !attachments.isWaiting { wakeLookUps() }
        case .problem(let problem, let detail):
            board.begin(ManagerProblem(.medium(problem, .bluetooth), detail: detail), for: .beacons(scan))
        case .solved(let problem): board.end(.medium(problem, .bluetooth), for: .beacons(scan))
        case .opened: open(scan)
        }
    }

    private func open(_ scan: BeaconScan) {
        guard scans[scan]?.isOpen == false else { return }
        scans[scan]?.isOpen = true
        refreshBeaconSubscriptions()
    }

    /// Removes beacons that are gone, until the task is cancelled.
    private func keepExpiring() async {
        while !Task.isCancelled {
            let pause = (scans.values.compactMap(\.book.nextEnd).min() ?? .seconds(3_600)) - now
            let limits = Self.expiryInterval
            try? await Task.sleep(for: min(max(pause, limits.lowerBound), limits.upperBound))
            var isChange = false
            for scan in scans.keys where scans[scan]?.book.expire(now: now) == true { isChange = true }
            if isChange { updateMessages() }
        }
    }

    // MARK: Asking

    /// Asks the service about the beacons that are near, until the task is cancelled. It repeats failed questions.
    private func keepLookingUp() async {
        var backOff = BackOff(configuration.backOff)
        while !Task.isCancelled {
            // Also without a beacon: the user learns at once that the service cannot be reached, or the key is wrong.
            guard let session = await currentSession(), !Task.isCancelled else { return }
            let needs = attachmentNeeds
            if let question = attachments.next(needs, now: now) {
                let pause = await ask(question, in: session, &backOff)
                try? await Task.sleep(for: pause)
            } else {
                // There is no suspension between this line and the sleep, so no wake is missed.
                let pause = attachments.dueAt(needs, now: now).map { $0 - now } ?? .seconds(3_600)
                let sleeper = Task { _ = try? await Task.sleep(for: pause) }
                lookUpSleeper = sleeper
                await withTaskCancellationHandler {
                    await sleeper.value
                } onCancel: {
                    sleeper.cancel()
                }
            }
        }
    }

    /// Ends the pause of the loop, because a question may be due.
    func wakeLookUps() {
        lookUpSleeper?.cancel()
    }

    /// The filters of the subscriptions, with the beacons that are near for each.
    private var attachmentNeeds: AttachmentBook.Needs {
        var needs: AttachmentBook.Needs = [:]
        for entry in entries.values where entry.isRunning {
            guard let scan = entry.scan, let filter = entry.operation.attachmentFilter else { continue }
            needs[filter, default: []].formUnion(scans[scan]?.book.near ?? [])
        }
        return needs
    }

    /// - Returns: the pause before the next question.
    private func ask(
        _ question: AttachmentBook.Question, in session: ServiceSession, _ backOff: inout BackOff
    ) async -> Duration {
        do throws(ServiceFailure) {
            let answer = try await service.lookUp(question.beacons, question.filter, in: session)
            attachments.answered(answer, now: now)
            succeeded(in: session, .lookingUp)
            backOff.reset()
            updateMessages()
            return .zero
        } catch {
            attachments.failed()
            if error.isBadSession {
                lost(session)
                return .zero
            }
            if !Task.isCancelled { board.replace(error.problem, for: .lookingUp) }
            return backOff.spreadPause(retryAfter: error.retryAfter)
        }
    }

    // MARK: Messages

    /// Reports the messages at the beacons that are near now, where they changed.
    /// - Parameter beacon: the only beacon that changed; nil if others may have too.
    func updateMessages(at beacon: BeaconIdentifier? = nil) {
        for (number, entry) in entries where entry.isRunning {
            guard let scan = entry.scan, let filter = entry.operation.attachmentFilter,
                let near = scans[scan]?.book.near
            else { continue }
            // Most beacons in the air belong to others, and change nothing.
            if let beacon, attachments.attachments(of: beacon, filter).isEmpty { continue }
            let present = near.lazy.flatMap { self.attachments.attachments(of: $0, filter) }
            for event in entries[number]?.beaconMessages.update(present) ?? [] { entry.operation.events.add(event) }
        }
    }

    /// Updates the status of the subscriptions to beacons only: it depends on the radio and the session.
    func refreshBeaconSubscriptions() {
        for (number, entry) in entries where entry.scan != nil && !entry.isNearby { refresh(number) }
    }

    /// Whether the radio works for a scan.
    func isOpen(_ scan: BeaconScan) -> Bool { scans[scan]?.isOpen == true }
}
