import EarshotBasics
import Foundation

/// The registrations at the service. It registers each order, renews it, repeats failed requests, and withdraws ended
/// orders.
actor LeaseDesk {
    struct Order: Sendable, Equatable {
        let order: ServiceOrder
        let playsToken: Bool

        var isSubscription: Bool { if case .subscription = order { true } else { false } }
    }

    private let access: ServiceAccess
    private var orders: [Int: Order] = [:]
    private var session: ServiceSession?
    private var workers: [Int: Task<Void, Never>] = [:]
    private var leases: [Int: Lease] = [:]
    private var withdrawals: [RegistrationName: Task<Void, Never>] = [:]

    init(_ access: ServiceAccess) { self.access = access }

    /// - Parameters:
    ///   - orders: all orders that should be registered, by the numbers of their runs. The order of a number never
    ///     changes.
    ///   - session: the session to register in; nil while there is none.
    func set(_ orders: [Int: Order], in session: ServiceSession?) {
        if session != self.session {
            // The registrations have ended with their session.
            for worker in workers.values { worker.cancel() }
            (workers, leases, self.session) = ([:], [:], session)
        }
        for number in self.orders.keys where orders[number] == nil {
            workers.removeValue(forKey: number)?.cancel()
            access.board.leave(.registering(number))
            if let session, let lease = leases.removeValue(forKey: number) {
                withdraw(lease.name, in: session, until: lease.expiresAt)
            }
        }
        self.orders = orders
        guard let session else { return }
        for (number, order) in orders where workers[number] == nil {
            workers[number] = Task { await keepRegistered(number, order, in: session) }
        }
    }

    /// Ends all requests without withdrawing the registrations, because the session is about to end.
    func close() {
        for task in workers.values { task.cancel() }
        for task in withdrawals.values { task.cancel() }
    }

    private func keepRegistered(_ number: Int, _ order: Order, in session: ServiceSession) async {
        var backOff = BackOff(access.backOff)
        var key = UUID().uuidString
        while !Task.isCancelled {
            let name = leases[number]?.name
            let answer = await ask(order.order, name, key, in: session)
            if Task.isCancelled {
                if name == nil, case .success(let registration) = answer {
                    withdraw(registration.name, in: session, until: access.timeline.now + access.pace.lease)
                }
                return
            }
            switch answer {
            case .success(let registration):
                backOff.reset()
                let now = access.timeline.now
                let lease = Lease(
                    registration, playsToken: order.playsToken, now: now, after: leases[number],
                    worldTime: .seconds(access.timeline.date(of: now)))
                leases[number] = lease
                access.succeeded(.registering(number))
                access.tell(.registered(number, lease, session))
                try? await access.timeline.sleep(lease.renewsAt - access.timeline.now)
            case .failure(let failure) where failure.isBadSession: return access.tell(.lost(session))
            case .failure(let failure) where failure.isFinal:
                access.succeeded(.registering(number))
                return access.tell(.refused(number, failure))
            case .failure(let failure):
                if failure.isNoSuchThing { leases[number] = nil }
                // The registration of the old key has ended, or differs.
                if failure.isNoSuchThing || failure.isRepeatDiffering { key = UUID().uuidString }
                access.tell(.unregistered(number, isGone: failure.isNoSuchThing, session))
                if failure.isNoSuchThing, name != nil { continue }
                access.board.replace(failure.problem, for: .registering(number))
                try? await access.timeline.sleep(backOff.spreadPause(retryAfter: failure.retryAfter))
            }
        }
    }

    /// Sends one request. It outlives its worker: a completed registration must then be withdrawn.
    private nonisolated func ask(
        _ order: ServiceOrder, _ name: RegistrationName?, _ key: String, in session: ServiceSession
    ) async -> Result<Registration, ServiceFailure> {
        let (service, timeToLive) = (access.service, access.pace.lease)
        return await Task { () async -> Result<Registration, ServiceFailure> in
            do throws(ServiceFailure) {
                if let name { return .success(try await service.renew(name, timeToLive: timeToLive, in: session)) }
                return .success(
                    try await service.register(order, timeToLive: timeToLive, idempotencyKey: key, in: session))
            } catch { return .failure(error) }
        }.value
    }

    /// Withdraws a registration. It retries until that succeeds or the registration has expired.
    private func withdraw(_ name: RegistrationName, in session: ServiceSession, until end: Duration) {
        withdrawals[name]?.cancel()
        withdrawals[name] = Task {
            var backOff = BackOff(access.backOff)
            while access.timeline.now < end, !Task.isCancelled {
                do throws(ServiceFailure) {
                    try await access.service.withdraw(name, in: session)
                    break
                } catch {
                    // The registration or the whole session has ended already.
                    if error.isNoSuchThing || error.isBadSession { break }
                    try? await access.timeline.sleep(backOff.spreadPause(retryAfter: error.retryAfter))
                }
            }
            if !Task.isCancelled { withdrawals[name] = nil }
        }
    }
}
