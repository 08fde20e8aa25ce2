import EarshotCoding

/// Reports the heard tokens when they are due. It repeats failed reports.
actor SightingDesk {
    private let access: ServiceAccess
    /// The time since a token was last heard; nil if unknown.
    private let age: @Sendable (Payload) -> Duration?
    private var reporter: SightingReporter
    private var isNeeded = false
    private var session: ServiceSession?
    private var sending: Task<Void, Never>?
    private var retry: Retry
    private lazy var alarm = Alarm(access.timeline) { [weak self] in await self?.update() }

    init(_ access: ServiceAccess, age: @escaping @Sendable (Payload) -> Duration?) {
        self.access = access
        self.age = age
        retry = Retry(access.backOff)
        reporter = SightingReporter(
            delay: access.pace.reportDelay, renewal: access.pace.sightingRenewal, signOfLife: access.pace.signOfLife)
    }

    /// - Parameters:
    ///   - isNeeded: whether any operation is registered or about to be.
    ///   - session: the session to report in; nil while there is none.
    ///   - hasStream: whether the event stream of the session is open. Otherwise the reports are the signs of life.
    func set(isNeeded: Bool, in session: ServiceSession?, hasStream: Bool) {
        if session != self.session || !isNeeded {
            sending?.cancel()
            sending = nil
            reporter.failed()
            retry.reset()
            if self.session != nil, session != self.session { reporter.forget(now: access.timeline.now) }
        }
        if !isNeeded, self.isNeeded { access.board.leave(.reporting) }
        (self.isNeeded, self.session, reporter.hasStream) = (isNeeded, session, hasStream)
        update()
    }

    /// A token came near.
    func hear(_ token: Payload) {
        reporter.hear(token, now: access.timeline.now)
        update()
    }

    /// A token is no longer near.
    func lose(_ token: Payload) {
        reporter.lose(token)
        update()
    }

    /// The device has another publication.
    func repeatAll() {
        reporter.repeatAll(now: access.timeline.now)
        update()
    }

    private func update() {
        guard isNeeded, let session, sending == nil, let due = reporter.dueAt else { return alarm.set(nil) }
        let (now, date) = (access.timeline.now, max(due, retry.date))
        guard date <= now, let report = reporter.next(now: now) else { return alarm.set(date) }
        alarm.set(nil)
        sending = Task { await send(report, in: session) }
    }

    private func send(_ report: SightingReport, in session: ServiceSession) async {
        var report = report
        for token in report.heard { report.ages[token] = age(token) }
        do throws(ServiceFailure) {
            let statuses = try await access.service.report(report, in: session)
            if Task.isCancelled { return }
            reporter.answered(statuses, ages: report.ages, now: access.timeline.now)
            retry.reset()
            access.succeeded(.reporting)
            access.tell(.reported(session))
        } catch {
            if Task.isCancelled { return }
            // No report is sent before there is another session.
            if error.isBadSession { return access.tell(.lost(session)) }
            reporter.failed()
            retry.failed(error, now: access.timeline.now)
            access.board.replace(error.problem, for: .reporting)
        }
        sending = nil
        update()
    }
}
