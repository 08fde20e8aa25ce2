import EarshotDiscovery
import EarshotMessages
import Glibc
import MessagesTestSupport
import TestSupport
import Testing

// A test that never gets its event fails at the time limit.
@Suite(.apart, .timeLimit(.minutes(2))) struct TerminalPromptTests {
    private let scratch: ScratchFolder
    private let terminal: Terminal
    private let consent: Consent
    private let purpose = ConsentPurpose(applicationIdentifier: "org.example.tour", mode: .both)
    private let end = "[a]llow, [d]eny, [l]earn more? "

    init() throws {
        scratch = try ScratchFolder()
        terminal = try Terminal()
        consent = Consent(
            applicationIdentifier: "org.example.tour", configurationFolder: scratch.path,
            prompt: TerminalPrompt(input: terminal.device, output: terminal.device))
    }

    @Test(arguments: [
        ("a", PermissionState.granted), ("allow", .granted), (" ALLOW ", .granted), ("d", .denied), ("Deny", .denied),
    ])
    func `the answer typed is kept`(typed: String, state: PermissionState) async throws {
        async let answer = consent.request(purpose, override: nil)
        let question = try #require(await terminal.read(until: end))
        #expect(question.contains("\"org.example.tour\" wants to find devices nearby"))
        #expect(question.contains("plays short sounds that people hardly hear and listens with the microphone"))
        terminal.type("\(typed)\n")
        #expect(await answer == state)
        #expect(consent.store.state == state)
    }

    @Test func `neither an empty line nor any other word is an answer`() async throws {
        async let answer = consent.request(purpose, override: nil)
        _ = try #require(await terminal.read(until: end))
        for typed in ["", "yes", "al", String(repeating: "a", count: 1_000)] {
            terminal.type("\(typed)\n")
            _ = try #require(await terminal.read(until: end))
            #expect(consent.store.state == .undecided)
        }
        terminal.type("a\n")
        #expect(await answer == .granted)
    }

    @Test func `the user can ask for an explanation`() async throws {
        async let answer = consent.request(purpose, override: nil)
        _ = try #require(await terminal.read(until: end))
        terminal.type("l\n")
        let explanation = try #require(await terminal.read(until: end))
        #expect(explanation.contains(consent.store.path))
        terminal.type("d\n")
        #expect(await answer == .denied)
    }

    @Test func `the question quotes the manifest, which cannot steer the terminal`() async throws {
        try scratch.write(
            #"{"NSMicrophoneUsageDescription":"To meet\u001B[2J\nothers. \u202EX"}"#,
            to: "org.example.tour/org.example.tour.nearby.json")
        async let answer = consent.request(purpose, override: nil)
        let question = try #require(await terminal.read(until: end))
        #expect(question.contains("Its reason: To meet [2J others.  X\n"))
        terminal.type("d\n")
        #expect(await answer == .denied)
    }

    @Test func `input typed before the question is no answer`() async throws {
        terminal.type("a\n")
        // The input must have arrived; otherwise the test proves nothing.
        let device = terminal.device
        let hasArrived = await eventually {
            var request = pollfd(fd: device, events: Int16(POLLIN), revents: 0)
            return poll(&request, 1, 0) > 0
        }
        #expect(hasArrived)
        async let answer = consent.request(purpose, override: nil)
        _ = try #require(await terminal.read(until: end))
        try await Task.sleep(for: .milliseconds(100))
        #expect(consent.store.state == .undecided)
        terminal.type("d\n")
        #expect(await answer == .denied)
    }

    @Test func `a terminal that goes away decides nothing`() async throws {
        async let answer = consent.request(purpose, override: nil)
        _ = try #require(await terminal.read(until: end))
        terminal.hangUp()
        #expect(await answer == .undecided)
        #expect(access(consent.store.path, F_OK) != 0)
    }

    @Test func `an answer from elsewhere ends the question`() async throws {
        async let answer = consent.request(purpose, override: nil)
        _ = try #require(await terminal.read(until: end))
        try consent.store.set(.granted)
        #expect(await answer == .granted)
        // The prompt ends its line, and ignores later input.
        _ = try #require(await terminal.read(until: "\n"))
        terminal.type("d\n")
        try await Task.sleep(for: .milliseconds(100))
        #expect(consent.store.state == .granted)
    }

    @Test func `the prompt can ask only on a terminal, and says so`() throws {
        #expect(TerminalPrompt(input: terminal.device, output: terminal.device).obstacle == nil)
        let file = open("/dev/null", O_RDWR)
        defer { close(file) }
        for (input, output) in [(file, terminal.device), (terminal.device, file)] {
            let obstacle = TerminalPrompt(input: input, output: output).obstacle
            #expect(obstacle?.contains("not both a terminal; start it on one") == true)
        }
    }
}
