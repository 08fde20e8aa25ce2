import DesktopTestSupport
import EarshotDBus
import EarshotNotifications
import Foundation
import TestSupport
import Testing

@testable import CallKit

/// The app's own buttons, without a bus.
@Suite("Calls in the app", .apart)
struct ControllerTests {
    private let phone = Phone(.address("unix:path=/nonexistent"))

    private func code(_ actions: CXAction...) async -> CXErrorCodeRequestTransactionError.Code? {
        do {
            try await phone.controller.request(CXTransaction(actions: actions))
            return nil
        } catch {
            return (error as? CXErrorCodeRequestTransactionError)?.code
        }
    }

    @Test("an outgoing call begins, is connected and ends")
    func outgoing() async throws {
        let call = UUID()
        #expect(await code(CXStartCallAction(call: call, handle: CXHandle(type: .generic, value: "bob"))) == nil)
        #expect(await poll { phone.events == ["begin", "start"] })
        #expect(phone.calls == [call: false])
        phone.provider.reportOutgoingCall(with: call, connectedAt: nil)
        #expect(phone.calls == [call: true])
        #expect(await code(CXEndCallAction(call: call)) == nil)
        #expect(await poll { phone.calls.isEmpty })
        #expect(phone.events == ["begin", "start", "end"])
    }

    @Test("an impossible action is refused, and the delegate is not called")
    func refusals() async throws {
        let handle = CXHandle(type: .generic, value: "bob")
        let call = try await phone.ring()
        #expect(await code() == .emptyTransaction)
        #expect(await code(CXAnswerCallAction(call: UUID())) == .unknownCallUUID)
        #expect(await code(CXStartCallAction(call: call, handle: handle)) == .callUUIDAlreadyExists)
        #expect(await code(CXAction()) == .invalidAction)
        #expect(phone.events == ["begin"])
        #expect(await code(CXAnswerCallAction(call: call)) == nil)
        #expect(await poll { phone.calls == [call: true] })
        #expect(await code(CXAnswerCallAction(call: call)) == .invalidAction)
        let alone = CXCallController(queue: .main, registry: ProviderRegistry())
        await #expect(throws: CXErrorCodeRequestTransactionError.self) {
            try await alone.request(CXTransaction(action: CXEndCallAction(call: call)))
        }
    }

    @Test("an action counts once: the first result is final")
    func actions() async throws {
        phone.set(isSilent: true)
        let call = try await phone.ring()
        let action = CXAnswerCallAction(call: call)
        #expect(await code(action) == nil)
        #expect(await poll { phone.events.last == "answer" })
        #expect(phone.provider.pendingTransactions.count == 1 && !action.isComplete)
        #expect(action.timeoutDate > Date() && action.timeoutDate < Date(timeIntervalSinceNow: 61))
        action.fulfill(withDateConnected: Date())
        action.fail()
        #expect(phone.calls == [call: true] && phone.provider.pendingTransactions.isEmpty)
        #expect(await code(action) == .invalidAction)
    }

    @Test("without a delegate an answer fails, and the call ends")
    func noDelegate() async throws {
        let call = try await phone.ring()
        phone.provider.setDelegate(nil, queue: DispatchQueue(label: "other"))
        #expect(await code(CXAnswerCallAction(call: call)) == nil)
        #expect(await poll { phone.calls.isEmpty })
        #expect(phone.events == ["begin"])
    }

    @Test("values are copied, and handles are equal by kind and text")
    func values() throws {
        let configuration = CXProviderConfiguration(localizedName: "Ship")
        configuration.ringtoneSound = "/ring.oga"
        configuration.maximumCallGroups = .max
        let copy = try #require(configuration.copy() as? CXProviderConfiguration)
        configuration.ringtoneSound = nil
        #expect(copy.localizedName == "Ship" && copy.sound == .named("/ring.oga") && copy.maximumCallCount == .max)
        #expect(configuration.sound == .named("phone-incoming-call"))
        let handle = CXHandle(type: .phoneNumber, value: "1")
        #expect(handle == CXHandle(type: .phoneNumber, value: "1") && handle != CXHandle(type: .generic, value: "1"))
        #expect(handle.hash == (handle.copy() as? CXHandle)?.hash)
    }
}
