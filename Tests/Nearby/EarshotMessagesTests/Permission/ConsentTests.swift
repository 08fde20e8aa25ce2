import EarshotDiscovery
import Glibc
import MessagesTestSupport
import Synchronization
import TestSupport
import Testing

@testable import EarshotMessages

// A test that never gets its event fails at the time limit.
@Suite(.apart, .timeLimit(.minutes(2))) struct ConsentTests {
    private let scratch: ScratchFolder
    private let consent: Consent
    private let purpose = ConsentPurpose(applicationIdentifier: "app", mode: .both)

    init() throws {
        scratch = try ScratchFolder()
        consent = Consent(applicationIdentifier: "app", configurationFolder: scratch.path)
    }

    private func consent(_ missing: Consent.MissingReasons, _ log: Lines, _ warnings: Lines) -> Consent {
        Consent(
            applicationIdentifier: "app", configurationFolder: scratch.path, media: [.bluetooth],
            missingReasons: missing, log: { log.add($0) }, warn: { warnings.add($0) })
    }

    @Test func `a missing reason is told once, or refuses the operation`() async throws {
        let (log, warnings) = (Lines(), Lines())
        let sentence = "app.nearby.json gives no reason to send over Bluetooth (NSBluetoothPeripheralUsageDescription)."
        for _ in 0..<2 { #expect(consent(.ignored, log, warnings).refusal(of: purpose) == nil) }
        #expect(log.all.isEmpty && warnings.all.isEmpty)
        let logged = consent(.logged, log, warnings)
        for _ in 0..<2 { #expect(logged.refusal(of: purpose) == nil) }
        #expect(log.all == [sentence] && warnings.all.isEmpty)
        let warned = consent(.warned, log, warnings)
        for _ in 0..<2 { #expect(warned.refusal(of: purpose) == nil) }
        #expect(log.all == [sentence] && warnings.all == [sentence])
        let strict = consent(.refused, log, warnings)
        for _ in 0..<2 {
            #expect(
                strict.refusal(of: purpose) == "\(sentence) So the operation is refused. Give the reason there.")
        }
        try scratch.write(
            #"{"NSBluetoothPeripheralUsageDescription":"So that others find you."}"#, to: "app/app.nearby.json")
        #expect(strict.refusal(of: purpose) == nil)
        let always = ConsentPurpose(
            applicationIdentifier: "app", mode: .scan, findsBeacons: true, needsLocation: true,
            goesOnInBackground: true)
        #expect(
            strict.refusal(of: always)?.contains(
                "to know where the device is in the background (NSLocationAlwaysUsageDescription)") == true)
    }

    @Test func `without a prompt nothing is decided`() async {
        #expect(await consent.request(purpose, override: nil) == .undecided)
        #expect(access(consent.store.path, F_OK) != 0)
    }

    @Test func `standard error says once that nothing can ask for consent`() async {
        let warnings = Lines()
        let consent = Consent(
            applicationIdentifier: "app", configurationFolder: scratch.path, warn: { warnings.add($0) })
        for _ in 0..<3 { #expect(await consent.request(purpose, override: nil) == .undecided) }
        #expect(warnings.all.count == 1)
        #expect(warnings.all.first?.contains(consent.store.path) == true)
        // A terminal may exist: the advice to start the program on one would be wrong.
        #expect(warnings.all.first?.contains("cannot ask for it: it has no prompt; its code must pass one") == true)
        #expect(warnings.all.first?.contains("start it") == false)
    }

    @Test func `standard error says that an answer cannot be kept`() async throws {
        let warnings = Lines()
        // A file in place of the folder; even root cannot write below it.
        let file = "\(scratch.path)/file"
        try #require(close(creat(file, 0o600)) == 0)
        let consent = Consent(
            applicationIdentifier: "app", configurationFolder: file, warn: { warnings.add($0) })
        #expect(await consent.request(purpose) { _ in .granted } == .granted)
        #expect(warnings.all.count == 1 && warnings.all.first?.contains("\(file)/app") == true)
        #expect(consent.store.state == .granted, "it holds until the program ends")
    }

    @Test(arguments: [PermissionState.granted, .denied])
    func `the handler's answer is kept`(answer: PermissionState) async {
        #expect(await consent.request(purpose) { _ in answer } == answer)
        #expect(consent.store.state == answer)
    }

    @Test func `a handler without an answer decides nothing`() async {
        #expect(await consent.request(purpose) { _ in .undecided } == .undecided)
        #expect(access(consent.store.path, F_OK) != 0)
    }

    @Test func `a denial is asked again, a grant is not`() async throws {
        let count = Mutex(0)
        let handler: ConsentHandler = { _ in
            count.withLock { $0 += 1 }
            return .granted
        }
        try consent.store.set(.denied)
        #expect(await consent.request(purpose, override: handler) == .granted)
        #expect(await consent.request(purpose, override: handler) == .granted)
        #expect(count.withLock(\.self) == 1)
    }

    @Test func `operations that begin together share the question`() async {
        let count = Mutex(0)
        let gate = Gate()
        let handler: ConsentHandler = { _ in
            count.withLock { $0 += 1 }
            await gate.wait()
            return .granted
        }
        let answers = await withTaskGroup(of: PermissionState.self) { group in
            for _ in 0..<10 { group.addTask { await consent.request(purpose, override: handler) } }
            group.addTask { await consent.request(purpose, override: nil) }
            // The first operation asks, and the others had time to join.
            #expect(await eventually { count.withLock(\.self) == 1 })
            try? await Task.sleep(for: .milliseconds(100))
            gate.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: .granted, count: 11))
        #expect(count.withLock(\.self) == 1)
    }

    @Test func `the next handler is asked if the first one does not answer`() async {
        let gate = Gate()
        let isAsked = Flag()
        async let first = consent.request(purpose) { _ in
            isAsked.raise()
            await gate.wait()
            return .undecided
        }
        #expect(await eventually { isAsked.isRaised })
        async let second = consent.request(purpose) { _ in .denied }
        try? await Task.sleep(for: .milliseconds(100))
        gate.open()
        #expect(await first == .undecided)
        #expect(await second == .denied)
    }

    @Test(arguments: [PermissionState.granted, .denied])
    func `an answer from elsewhere ends the question`(answer: PermissionState) async throws {
        let (gate, isAsked) = (Gate(), Flag())
        async let request = consent.request(purpose) { _ in
            isAsked.raise()
            await gate.wait()
            return .undecided
        }
        #expect(await eventually { isAsked.isRaised })
        // Another process of the same program.
        try PermissionStore(applicationIdentifier: "app", configurationFolder: scratch.path).set(answer)
        #expect(await request == answer)
        gate.open()
    }

    @Test func `a cancelled request gets no answer, but a late answer is kept`() async {
        let (gate, isAsked) = (Gate(), Flag())
        let request = Task {
            await consent.request(purpose) { _ in
                isAsked.raise()
                await gate.wait()
                return .granted
            }
        }
        #expect(await eventually { isAsked.isRaised })
        request.cancel()
        #expect(await request.value == .undecided)
        gate.open()
        #expect(await eventually { consent.store.state == .granted })
    }

    @Test func `a request after the last one was cancelled asks again`() async {
        let (gate, isAsked) = (Gate(), Flag())
        let request = Task {
            await consent.request(purpose) { _ in
                isAsked.raise()
                await gate.wait()
                return .undecided
            }
        }
        #expect(await eventually { isAsked.isRaised })
        request.cancel()
        #expect(await request.value == .undecided)
        #expect(await consent.request(purpose) { _ in .denied } == .denied)
        gate.open()
    }

    @Test(
        arguments: [(true, PermissionState.granted), (false, .denied), (nil, .undecided)] as [(Bool?, PermissionState)])
    func `the prompt's answer is kept`(answer: Bool?, state: PermissionState) async throws {
        let prompt = ScriptedPrompt(answer: answer)
        let consent = Consent(applicationIdentifier: "app", configurationFolder: scratch.path, prompt: prompt)
        #expect(await consent.request(purpose, override: nil) == state)
        #expect(consent.store.state == state)
        let question = try #require(prompt.questions.first)
        #expect(question.text.hasPrefix("\"app\" wants to find devices nearby"))
        #expect(question.explanation.contains(consent.store.path))
        #expect(prompt.questions.count == 1)
    }

    @Test func `a prompt that cannot ask is not asked, and standard error says why`() async {
        let prompt = ScriptedPrompt(answer: true, obstacle: "the screen is off; switch it on")
        let warnings = Lines()
        let consent = Consent(
            applicationIdentifier: "app", configurationFolder: scratch.path, prompt: prompt, warn: { warnings.add($0) })
        #expect(await consent.request(purpose, override: nil) == .undecided)
        #expect(prompt.questions.isEmpty)
        #expect(
            warnings.all == [
                "app plays, records and sends nothing: it has no consent, and cannot ask for it: the screen is off; switch it on. "
                    + #"{"permission":"granted"} in \#(consent.store.path) is consent too."#
            ])
    }

    @Test func `an operation's handler replaces the prompt`() async {
        let prompt = ScriptedPrompt(answer: true)
        let consent = Consent(applicationIdentifier: "app", configurationFolder: scratch.path, prompt: prompt)
        #expect(await consent.request(purpose) { _ in .undecided } == .undecided)
        #expect(prompt.questions.isEmpty)
    }
}

/// A prompt that answers at once.
private final class ScriptedPrompt: ConsentPrompt {
    private let answer: Bool?
    let obstacle: String?
    private let asked = Mutex<[ConsentQuestion]>([])

    init(answer: Bool?, obstacle: String? = nil) {
        self.answer = answer
        self.obstacle = obstacle
    }

    var questions: [ConsentQuestion] { asked.withLock(\.self) }

    func ask(_ question: ConsentQuestion) async -> Bool? {
        asked.withLock { $0.append(question) }
        return answer
    }
}

/// Holds tasks until it is opened.
private final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func open() { continuation.finish() }

    /// Waits even if the task is cancelled, as an app's dialog does.
    func wait() async {
        await Task { for await _ in stream {} }.value
    }
}
