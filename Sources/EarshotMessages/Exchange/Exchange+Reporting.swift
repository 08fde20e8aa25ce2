/// What is heard is told the service.
extension Exchange {
    /// Reports what is due, until it is cancelled. What fails is tried again.
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
                // Nothing happens in between, so no wake can be missed.
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

    /// There may be something to report.
    func wakeReporting() {
        reportSleeper?.cancel()
    }

    /// - Returns: how long to wait before the next one.
    private func send(
        _ report: SightingReport, in session: ServiceSession, _ backOff: inout BackOff
    ) async -> Duration {
        do throws(ServiceFailure) {
            let statuses = try await service.report(report, in: session)
            reporter.answered(statuses, now: now)
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
            return backOff.pause(retryAfter: error.retryAfter)
        }
    }
}
