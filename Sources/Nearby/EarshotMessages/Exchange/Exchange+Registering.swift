import EarshotBasics
import EarshotDiscovery
import Foundation

/// The lease of each operation at the service.
extension Exchange {
    func restartWorker(_ number: Int) {
        entries[number]?.worker?.cancel()
        entries[number]?.worker = Task { await keepRegistered(number) }
    }

    /// Publishes or subscribes, then renews, until the task is cancelled. It repeats failed requests.
    private func keepRegistered(_ number: Int) async {
        var backOff = BackOff(configuration.backOff)
        var key = UUID().uuidString
        while !Task.isCancelled, let session = await currentSession(), !Task.isCancelled {
            switch await ask(number, key, in: session) {
            case nil: return
            case .success(let registration):
                backOff.reset()
                let due = take(registration, for: number)
                succeeded(in: session, .registering(number))
                try? await Task.sleep(for: max(due - now, .zero))
            case .failure(let failure) where failure.isBadSession: lost(session)
            case .failure(let failure) where failure.isFinal:
                refuse(number, failure)
                return
            case .failure(let failure):
                let hadLease = entries[number]?.lease != nil
                if failure.isNoSuchThing { entries[number]?.lease = nil }
                // The registration of the old key has ended, or is a different one.
                if failure.isNoSuchThing || failure.isRepeatDiffering { key = UUID().uuidString }
                entries[number]?.hasFailed = true
                refresh(number)
                plan()
                if failure.isNoSuchThing && hadLease { continue }
                board.replace(failure.problem, for: .registering(number))
                try? await Task.sleep(for: backOff.spreadPause(retryAfter: failure.retryAfter))
            }
        }
    }

    /// Sends one request. The request outlives the worker: if the service registered something, it must be withdrawn.
    /// - Returns: nil if the operation no longer needs the answer.
    private func ask(
        _ number: Int, _ key: String, in session: ServiceSession
    ) async -> Result<Registration, ServiceFailure>? {
        guard let entry = entries[number], let order = entry.operation.order else { return nil }
        let (service, name, timeToLive) = (service, entry.lease?.name, configuration.pace.lease)
        let answer = await Task { () async -> Result<Registration, ServiceFailure> in
            do throws(ServiceFailure) {
                if let name { return .success(try await service.renew(name, timeToLive: timeToLive, in: session)) }
                return .success(
                    try await service.register(order, timeToLive: timeToLive, idempotencyKey: key, in: session))
            } catch { return .failure(error) }
        }.value
        guard !Task.isCancelled, entries[number] != nil, self.session == session else {
            if name == nil, case .success(let registration) = answer {
                withdraw(registration.name, in: session, until: now + timeToLive)
            }
            return nil
        }
        return answer
    }

    /// - Returns: the time to renew the lease.
    private func take(_ registration: Registration, for number: Int) -> Duration {
        guard let operation = entries[number]?.operation else { return now }
        let lease = Lease(registration, playsToken: operation.strategy.mode.contains(.broadcast), now: now)
        let isNew = entries[number]?.lease?.name != lease.name
        entries[number]?.lease = lease
        entries[number]?.hasFailed = false
        refresh(number)
        plan()
        if isNew { deliverStrayEvents(of: lease.name) }
        return lease.renewsAt
    }

    /// The service will never accept the operation: it stays inactive.
    private func refuse(_ number: Int, _ failure: ServiceFailure) {
        entries[number]?.isRefused = true
        entries[number]?.worker = nil
        // The service answered.
        board.end(for: .registering(number))
        board.end(for: .formerRequests)
        board.begin(failure.problem, for: .operation(number))
        refresh(number)
        updateLoops()
        plan()
    }

    /// Withdraws a registration at the service. It retries until that succeeds or the registration has expired.
    /// - Parameter end: the time at which the registration expires.
    func withdraw(_ name: RegistrationName, in session: ServiceSession, until end: Duration) {
        withdrawals[name]?.cancel()
        withdrawals[name] = Task {
            var backOff = BackOff(configuration.backOff)
            while now < end, !Task.isCancelled {
                do throws(ServiceFailure) {
                    try await service.withdraw(name, in: session)
                    break
                } catch {
                    // The registration or the whole session has ended already.
                    if error.isNoSuchThing || error.isBadSession { break }
                    try? await Task.sleep(for: backOff.spreadPause(retryAfter: error.retryAfter))
                }
            }
            if !Task.isCancelled { withdrawals[name] = nil }
        }
    }
}
