import DesktopTestSupport
import EarshotMessages
import EarshotPrompts
import Glibc
import MessagesTestSupport
import TestSupport
import Testing

// A test that waits too long fails at the time limit.
@Suite(.apart, .timeLimit(.minutes(2)), .enabled(if: SessionBus.missing == nil, "\(SessionBus.missing ?? "")"))
struct SystemPromptTests {
    private let session: SessionBus
    private let terminal: Terminal

    init() throws {
        session = try SessionBus()
        terminal = try Terminal()
    }

    @Test func `it asks on the terminal if there is one`() async throws {
        let service = try await FakeNotificationService(on: session, capabilities: ["body", "actions"])
        let under = try PromptUnderTest(
            session.bus, terminal: TerminalPrompt(input: terminal.device, output: terminal.device))
        async let answer = under.consent.request(under.purpose, override: nil)
        _ = try #require(await terminal.read(until: "[a]llow, [d]eny, [l]earn more? "))
        terminal.type("a\n")
        #expect(await answer == .granted)
        #expect(service.shown.isEmpty)
    }

    @Test func `it asks by a notification if there is no terminal`() async throws {
        let service = try await FakeNotificationService(on: session, capabilities: ["body", "actions"])
        let file = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(file) }
        let under = try PromptUnderTest(session.bus, terminal: TerminalPrompt(input: file, output: terminal.device))
        async let answer = under.consent.request(under.purpose, override: nil)
        #expect(await eventually { service.shown.count == 1 })
        try await service.click(1, "allow")
        #expect(await answer == .granted)
    }

    @Test func `without both, one line says why neither can ask`() async throws {
        let file = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(file) }
        let under = try PromptUnderTest(session.bus, terminal: TerminalPrompt(input: file, output: file))
        for _ in 0..<2 { #expect(await under.consent.request(under.purpose, override: nil) == .undecided) }
        let line = try #require(under.lines.all.first)
        #expect(under.lines.all.count == 1)
        #expect(line.contains("not both a terminal; start it on one"))
        #expect(line.contains(". Nor can a notification ask: no program shows notifications"))
        #expect(line.contains("{\"permission\":\"granted\"} in \(under.consent.store.path)"))
    }
}
