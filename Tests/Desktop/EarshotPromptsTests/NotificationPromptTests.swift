import DesktopTestSupport
import EarshotDBus
import EarshotMessages
import EarshotPrompts
import MessagesTestSupport
import TestSupport
import Testing

// A test that waits too long fails at the time limit.
@Suite(.apart, .timeLimit(.minutes(2)), .enabled(if: SessionBus.missing == nil, "\(SessionBus.missing ?? "")"))
struct NotificationPromptTests {
    private let session: SessionBus
    private let under: PromptUnderTest

    init() throws {
        session = try SessionBus()
        under = try PromptUnderTest(session.bus)
    }

    private func service(_ capabilities: [String] = ["body", "actions"]) async throws -> FakeNotificationService {
        try await FakeNotificationService(on: session, capabilities: capabilities)
    }

    /// Begins a request, and waits until its question is shown.
    private func ask(_ service: FakeNotificationService) async throws -> Task<PermissionState, Never> {
        let under = under
        let request = Task { await under.consent.request(under.purpose, override: nil) }
        try #require(await eventually { service.shown.count == 1 })
        return request
    }

    @Test(arguments: [("allow", PermissionState.granted), ("deny", .denied)])
    func `a button is the answer, and ends the notification`(button: String, state: PermissionState) async throws {
        let service = try await service()
        let request = try await ask(service)
        let shown = try #require(service.shown.first)
        #expect(shown.summary == "Allow or deny?" && shown.application == "app")
        #expect(shown.body.hasPrefix("\"app\" wants to find devices nearby"))
        #expect(shown.body.contains(under.consent.store.path))
        // There is no default action, because a click on the text is not an answer.
        #expect(shown.actions == ["allow", "Allow", "deny", "Deny"])
        #expect(shown.hints["urgency"] == .byte(2) && shown.timeoutMilliseconds == 0, "the question stays")
        try await service.click(1, button)
        #expect(await request.value == state)
        #expect(under.consent.store.state == state)
        #expect(await eventually { service.closed == [1] })
        #expect(under.lines.all == [])
    }

    @Test(arguments: [UInt32(1), 2, 4]) func `a notification that is closed decides nothing`(reason: UInt32)
        async throws
    {
        let service = try await service()
        let request = try await ask(service)
        try await service.end(1, reason: reason)
        #expect(await request.value == .undecided)
        #expect(under.consent.store.state == .undecided)
        // The next operation asks again.
        let second = Task { [under] in await under.consent.request(under.purpose, override: nil) }
        #expect(await eventually { service.shown.count == 2 })
        try await service.click(2, "allow")
        #expect(await second.value == .granted)
    }

    @Test func `another click is no answer`() async throws {
        let service = try await service()
        let request = try await ask(service)
        try await service.click(1, "default")
        try await service.click(1, "yes")
        try await service.click(1, "deny")
        #expect(await request.value == .denied)
    }

    @Test func `an answer from elsewhere removes the notification`() async throws {
        let service = try await service()
        let request = try await ask(service)
        try under.consent.store.set(.granted)
        #expect(await request.value == .granted)
        #expect(await eventually { service.closed == [1] })
    }

    @Test func `a cancelled request removes the notification`() async throws {
        let service = try await service()
        let request = try await ask(service)
        request.cancel()
        #expect(await request.value == .undecided)
        #expect(await eventually { service.closed == [1] })
    }

    @Test func `without a bus standard error says what to do`() async throws {
        let under = try PromptUnderTest(.address("unix:path=/nonexistent/bus"))
        #expect(await under.consent.request(under.purpose, override: nil) == .undecided)
        let line = try #require(under.lines.all.first)
        #expect(under.lines.all.count == 1)
        #expect(line.contains("there is no session bus") && line.contains("log in to a desktop"))
    }

    @Test func `without a service standard error says what to do`() async throws {
        #expect(await under.consent.request(under.purpose, override: nil) == .undecided)
        let line = try #require(under.lines.all.first)
        #expect(under.lines.all.count == 1)
        #expect(line.contains("no program shows notifications") && line.contains("start one, such as dunst"))
    }

    @Test func `a service without buttons shows nothing, because nobody could answer`() async throws {
        let service = try await service(["body"])
        #expect(await under.consent.request(under.purpose, override: nil) == .undecided)
        #expect(service.shown.isEmpty)
        #expect(under.lines.all.first?.contains("shows no buttons; use another") == true)
    }

    @Test func `a question that no notification shows is written to standard error`() async throws {
        let question = ConsentQuestion(text: "\"app\" wants", explanation: "because")
        #expect(await under.notification.ask(question) == nil)
        #expect(under.lines.all.count == 2)
        #expect(under.lines.all.first?.contains("start one, such as dunst") == true)
        #expect(under.lines.all.last == "earshot: notification: Allow or deny?: \"app\" wants  because")
    }
}
