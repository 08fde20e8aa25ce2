import EarshotMessages
import Foundation
import MessagesTestSupport
import Synchronization
import TestSupport
import Testing

@testable import EarshotAgent

@Suite(.apart) struct ResumingServiceTests {
    private final class Memory: Sendable {
        let session = Mutex(AppState.Session(key: "key", service: "", secret: ""))

        var present: AppState.Session { session.withLock(\.self) }
    }

    private let service = FakeService()
    private let memory = Memory()

    /// The service as a new process of the agent sees it.
    private func process() -> ResumingService {
        let memory = memory
        return ResumingService(service.client(key: "key"), memory: memory.present) { session in
            memory.session.withLock { $0 = session }
        }
    }

    @Test func aNewProcessContinuesSessionAndRegistrations() async throws {
        let orders: [ServiceOrder] = [
            .publication(Message("hello")), .subscription(namespace: "", type: ""),
            .subscription(namespace: "", type: ""),
        ]
        func registrations(_ keys: [String]) async throws -> (ServiceSession, [RegistrationName]) {
            let process = process()
            let session = try await process.openSession()
            var names: [RegistrationName] = []
            for (order, key) in zip(orders, keys) {
                let registration = try await process.register(
                    order, timeToLive: .seconds(300), idempotencyKey: key, in: session)
                names.append(registration.name)
            }
            return (session, names)
        }
        let first = try await registrations(["1", "2", "3"])
        let second = try await registrations(["4", "5", "6"])
        #expect(first.0 == second.0 && first.1 == second.1)
        #expect(Set(first.1).count == 3, "equal subscriptions stay two")
    }

    @Test func aWithdrawnRegistrationIsForgottenAndALostSessionToo() async throws {
        let process = process()
        let session = try await process.openSession()
        let registration = try await process.register(
            .publication(Message("hello")), timeToLive: .seconds(300), idempotencyKey: "1", in: session)
        try await process.withdraw(registration.name, in: session)
        #expect(memory.present.idempotencyKeys.isEmpty)
        let other = try await process.openSession()
        #expect(other != session, "the second session of a process is a new one")
        #expect(memory.present.secret == other.secret)
    }
}
