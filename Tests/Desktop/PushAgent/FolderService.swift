import EarshotCoding
import EarshotMessages
import Foundation
import Glibc
import MessagesTestSupport
import NearbyWire

/// A service for which the files of a folder are the messages nearby: a message has the name of its file as identifier and content.
/// Like a real service, it outlives the agents that use it.
struct FolderService: MessageService {
    let folder: String

    func openSession() async throws(ServiceFailure) -> ServiceSession { ServiceSession(secret: "secret") }

    func end(_ session: ServiceSession) async throws(ServiceFailure) {}

    func register(
        _ order: ServiceOrder, timeToLive: Duration, idempotencyKey: String, in session: ServiceSession
    ) async throws(ServiceFailure) -> Registration {
        if case .publication = order { return registration(RegistrationName(.publication, "id"), timeToLive) }
        return registration(RegistrationName(.subscription, "id"), timeToLive)
    }

    func renew(
        _ name: RegistrationName, timeToLive: Duration, in session: ServiceSession
    ) async throws(ServiceFailure) -> Registration { registration(name, timeToLive) }

    private func registration(_ name: RegistrationName, _ timeToLive: Duration) -> Registration {
        guard let token = try? Payload([1, 2, 3, 4, 5, 6, 7, 8]) else { preconditionFailure("eight bytes") }
        return Registration(
            name: name, expiresIn: timeToLive, token: token, tokenExpiresIn: .seconds(600), rotateIn: .seconds(300))
    }

    func withdraw(_ name: RegistrationName, in session: ServiceSession) async throws(ServiceFailure) {}

    func report(
        _ report: SightingReport, in session: ServiceSession
    ) async throws(ServiceFailure) -> [Payload: TokenStatus] { [:] }

    func lookUp(
        _ beacons: [BeaconIdentifier], _ filter: AttachmentFilter, in session: ServiceSession
    ) async throws(ServiceFailure) -> [BeaconIdentifier: [BeaconAttachment]] { [:] }

    func events(
        in session: ServiceSession, after lastEventID: String?
    ) -> AsyncThrowingStream<ServiceEvent, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: ServiceEvent.self)
        let folder = folder
        continuation.yield(.ready(isResumed: false))
        let isOver = Flag()
        continuation.onTermination = { _ in isOver.raise() }
        Thread.detachNewThread {
            var known: Set<String> = []
            while !isOver.isRaised {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                let present = Set(names.filter { !$0.hasPrefix(".") })
                for name in present.subtracting(known).sorted() {
                    let message = Message(content: Data(name.utf8))
                    continuation.yield(.found(subscription: "id", message: message, id: name, eventID: nil))
                }
                for name in known.subtracting(present).sorted() {
                    continuation.yield(.lost(subscription: "id", id: name, eventID: nil))
                }
                known = present
                usleep(2_000)
            }
        }
        return stream
    }
}
