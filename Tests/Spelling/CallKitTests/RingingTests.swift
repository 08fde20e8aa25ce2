import DesktopTestSupport
import EarshotDBus
import Foundation
import TestSupport
import Testing

@testable import CallKit

/// Calls on a real screen, with dunst.
@Suite("Calls on the desktop", .apart, .serialized, .enabled(if: Desktop.missing == nil, "\(Desktop.missing ?? "")"))
struct RingingTests {
    @Test("a call is shown, answered by a click, and removed from the screen")
    func answer() async throws {
        let desktop = try await Desktop()
        let phone = Phone(desktop.session.bus)
        let call = try await phone.ring()
        #expect(await poll { (try? desktop.displayedCount()) == 1 })
        #expect(phone.calls == [call: false])
        // A click on the notification itself.
        try desktop.control("action")
        #expect(await poll { phone.calls == [call: true] })
        #expect(phone.events == ["begin", "answer"])
        #expect(await poll { (try? desktop.displayedCount()) == 0 })
        let history = try desktop.history()
        #expect(history.contains("Ann") && history.contains("Incoming call · Ship Phone"))
        #expect(phone.lines == ["earshot: the ring tone is left to the desktop: there is no sound device"])
    }

    @Test("a call that its caller gives up leaves the screen, and the delegate gets no action")
    func givenUp() async throws {
        let desktop = try await Desktop()
        let phone = Phone(desktop.session.bus)
        let call = try await phone.ring("", video: true)
        #expect(await poll { (try? desktop.displayedCount()) == 1 })
        phone.provider.reportCall(with: call, endedAt: nil, reason: .remoteEnded)
        #expect(await poll { (try? desktop.displayedCount()) == 0 })
        #expect(phone.calls.isEmpty && phone.events == ["begin"])
        let history = try desktop.history()
        #expect(history.contains("ann@ship") && history.contains("Incoming video call"))
    }

    @Test("a call that a restart of the desktop removed rings again")
    func restart() async throws {
        let desktop = try await Desktop()
        let phone = Phone(desktop.session.bus)
        let call = try await phone.ring()
        #expect(await poll { (try? desktop.displayedCount()) == 1 })
        desktop.killService()
        // Without a service, a line on standard error reports the call.
        #expect(await poll { phone.lines.contains { $0.contains("Ann calls") } })
        #expect(phone.calls == [call: false])
    }
}

/// The reactions to a service that the test controls.
@Suite(
    "Calls and a notification service", .apart, .enabled(if: SessionBus.missing == nil, "\(SessionBus.missing ?? "")"))
struct ServiceTests {
    @Test("the notification is critical, has two actions and the ring tone, and does not expire")
    func notification() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: ["actions", "body", "sound"])
        let phone = Phone(session.bus)
        _ = try await phone.ring()
        let shown = try #require(service.shown.first)
        #expect(shown.summary == "Ann" && shown.body == "Incoming call · Ship Phone")
        #expect(shown.actions == ["default", "Answer", "answer", "Answer", "decline", "Decline"])
        #expect(shown.hints["urgency"] == .byte(2))
        #expect(shown.hints["sound-name"] == .string("phone-incoming-call"))
        #expect(shown.timeoutMilliseconds == 0)
    }

    @Test("declining ends the call, once")
    func decline() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: ["actions", "body"])
        let phone = Phone(session.bus)
        _ = try await phone.ring()
        for _ in 0..<3 { try await service.click(1, "decline") }
        #expect(await poll { phone.calls.isEmpty && service.closed == [1] })
        #expect(phone.events == ["begin", "end"])
    }

    @Test("an answer that the app cannot give ends the call")
    func failingAnswer() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: ["actions", "body"])
        let phone = Phone(session.bus)
        phone.set(isFailing: true)
        _ = try await phone.ring()
        try await service.click(1, "answer")
        #expect(await poll { phone.events == ["begin", "answer"] && phone.calls.isEmpty })
    }

    @Test("closing silences a call; if its notification disappears for another reason, it rings again")
    func closing() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: ["actions", "body"])
        let phone = Phone(session.bus)
        let call = try await phone.ring()
        try await service.end(1, reason: 1)
        #expect(await poll { service.shown.count == 2 })
        try await service.end(#require(service.shown.last).number, reason: 2)
        // The app can still answer the call.
        try await phone.controller.request(CXTransaction(action: CXAnswerCallAction(call: call)))
        #expect(await poll { phone.calls == [call: true] })
        #expect(service.shown.count == 2 && phone.events == ["begin", "answer"])
    }

    @Test("an update of a call replaces its notification")
    func update() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: ["actions", "body"])
        let phone = Phone(session.bus)
        let call = try await phone.ring()
        let update = CXCallUpdate()
        update.localizedCallerName = "Ann (bridge)"
        phone.provider.reportCall(with: call, updated: update)
        #expect(await poll { service.shown.map(\.summary) == ["Ann", "Ann (bridge)"] })
        #expect(service.shown.last?.replaced == 1)
        try await service.click(1, "answer")
        #expect(await poll { phone.calls == [call: true] })
    }

    @Test("a flood of calls is bounded, and a refused call leaves no trace")
    func flood() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: ["actions", "body"])
        let configuration = CXProviderConfiguration(localizedName: "Ship Phone")
        configuration.maximumCallGroups = 100
        let phone = Phone(session.bus, configuration: configuration)
        var (taken, refused) = (0, 0)
        for _ in 0..<40 {
            do {
                _ = try await phone.ring()
                taken += 1
            } catch let error as CXErrorCodeIncomingCallError {
                #expect(error.code == .unknown && error.errorDescription?.contains("Too many calls") == true)
                refused += 1
            }
        }
        // Five calls are allowed at once, and one more for each ten seconds of the test.
        #expect(taken >= 5 && taken < 20 && taken + refused == 40)
        #expect(service.shown.count == taken && phone.calls.count == taken)
    }

    @Test("a second call with the same identifier, a call beyond the limit, and a call after the end are refused")
    func refusals() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: ["actions", "body"])
        let configuration = CXProviderConfiguration()
        (configuration.maximumCallGroups, configuration.maximumCallsPerCallGroup) = (1, 2)
        let phone = Phone(session.bus, configuration: configuration)
        let first = try await phone.ring()
        func code(_ uuid: UUID) async -> CXErrorCodeIncomingCallError.Code? {
            do {
                _ = try await phone.ring(uuid: uuid)
                return nil
            } catch {
                return (error as? CXErrorCodeIncomingCallError)?.code
            }
        }
        #expect(await code(first) == .callUUIDAlreadyExists)
        #expect(await code(UUID()) == nil)
        #expect(await code(UUID()) == .unknown)
        phone.provider.invalidate()
        #expect(await poll { service.closed.sorted() == [1, 2] && phone.events.last == "reset" })
        #expect(await code(UUID()) == .unknown)
        #expect(phone.calls.isEmpty)
    }

    @Test("the completion comes on the delegate's queue")
    func completion() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: ["actions", "body"])
        let phone = Phone(session.bus)
        let uuid = UUID()
        for expected in [nil, 2] as [Int?] {
            let code: Int? = await withCheckedContinuation { continuation in
                phone.provider.reportNewIncomingCall(with: uuid, update: CXCallUpdate()) { error in
                    continuation.resume(returning: error.map { ($0 as NSError).code })
                }
            }
            #expect(code == expected)
        }
        #expect(service.shown.map(\.summary) == ["An unknown caller"])
    }

    @Test("without a service, standard error names the call and how to answer it")
    func noService() async throws {
        let session = try SessionBus()
        let phone = Phone(session.bus)
        let call = try await phone.ring()
        #expect(
            phone.lines.last
                == "earshot: Ann calls. No desktop shows it: answer or decline in the app Ship Phone.")
        try await phone.controller.request(CXTransaction(action: CXEndCallAction(call: call)))
        #expect(await poll { phone.calls.isEmpty && phone.events == ["begin", "end"] })
    }
}
