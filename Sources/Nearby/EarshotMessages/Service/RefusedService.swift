import EarshotCoding
import NearbyWire

/// Replaces a service whose address is invalid. It sends no requests: another address would receive the key and the
/// messages.
struct RefusedService: MessageService {
    /// Why the address is invalid, and what to do.
    let reason: String

    func openSession() async throws(ServiceFailure) -> ServiceSession { throw .misconfigured(reason) }

    func end(_ session: ServiceSession) async throws(ServiceFailure) { throw .misconfigured(reason) }

    func register(
        _ order: ServiceOrder, timeToLive: Duration, idempotencyKey: String, in session: ServiceSession
    ) async throws(ServiceFailure) -> Registration { throw .misconfigured(reason) }

    func renew(
        _ name: RegistrationName, timeToLive: Duration, in session: ServiceSession
    ) async throws(ServiceFailure) -> Registration { throw .misconfigured(reason) }

    func withdraw(_ name: RegistrationName, in session: ServiceSession) async throws(ServiceFailure) {
        throw .misconfigured(reason)
    }

    func report(
        _ report: SightingReport, in session: ServiceSession
    ) async throws(ServiceFailure) -> [Payload: TokenStatus] { throw .misconfigured(reason) }

    func lookUp(
        _ beacons: [BeaconIdentifier], _ filter: AttachmentFilter, in session: ServiceSession
    ) async throws(ServiceFailure) -> [BeaconIdentifier: [BeaconAttachment]] { throw .misconfigured(reason) }

    func events(
        in session: ServiceSession, after lastEventID: String?
    ) -> AsyncThrowingStream<ServiceEvent, any Error> {
        AsyncThrowingStream { $0.finish(throwing: ServiceFailure.misconfigured(reason)) }
    }
}
