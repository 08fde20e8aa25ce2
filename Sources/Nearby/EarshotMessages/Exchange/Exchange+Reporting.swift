import EarshotBasics

/// Reports heard tokens to the service.
extension Exchange {
    /// Sends the reports that are due, until the task is cancelled. It repeats failed reports.
    func keepReporting() async {
        var backOff = BackOff(configuration.backOff)
        while !Task.isCancelled {
            if let due = reporter.dueAt, due <= now {
                guard let session = await currentSession(), !Task.isCancelled else { return }
                if let report = reporter.next(now: now) {
                    let pause = await send(report, in: session, &backOff)
                    try? await Task.sleep(for: pause)
                }
            } else {
                // There is no suspension between this line and the sleep, so no wake is missed.
                let pause = reporter.dueAt.map { $0 - now } ?? .seconds(3_600)
                let sleeper = Task { _ = try? await Task.sleep(for: pause) }
                reportSleeper = sleeper
                await withTaskCancellationHandler {
                    await sleeper.value
                } onCancel: {
                    sleeper.cancel()
                }
            }
        }
    }

    /// Ends the pause of the reporting loop, because a report may be due.
    func wakeReporting() {
        reportSleeper?.cancel()
    }

    /// - Returns: the pause before the next report.
    private func send(
        _ report: SightingReport, in session: ServiceSession, _ backOff: inout BackOff
    ) async -> Duration {
        var report = report
        for token in report.heard { report.ages[token] = age(of: token) }
        do throws(ServiceFailure) {
            let statuses = try await service.report(report, in: session)
            reporter.answered(statuses, ages: report.ages, now: now)
            lastSignOfLife = now
            succeeded(in: session, .reporting)
            backOff.reset()
            return .zero
        } catch {
            reporter.failed()
            if error.isBadSession {
                lost(session)
                return .zero
            }
            if !Task.isCancelled { board.replace(error.problem, for: .reporting) }
            return backOff.spreadPause(retryAfter: error.retryAfter)
        }
    }
}
