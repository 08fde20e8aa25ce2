import EarshotDiscovery
import Glibc
import MessagesTestSupport
import Synchronization
import Testing

@testable import EarshotMessages

// Where something is waited for in vain, it fails rather than waits on.
@Suite(.timeLimit(.minutes(2))) struct ConsentTests {
    private let scratch: ScratchFolder
    private let consent: Consent
    private let purpose = ConsentPurpose(applicationIdentifier: "app", mode: .both)

    init() throws {
        scratch = try ScratchFolder()
        consent = Consent(applicationIdentifier: "app", configurationFolder: scratch.path)
    }

    @Test func `nobody to ask decides nothing`() async {
        #expect(await consent.request(purpose, override: nil) == .undecided)
        #expect(access(consent.store.path, F_OK) != 0)
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

    @Test func `who was granted is not asked again, who was denied is`() async throws {
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
            // The first one is asked, and the others had time to come.
            #expect(await eventually { count.withLock(\.self) == 1 })
            try? await Task.sleep(for: .milliseconds(100))
            gate.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: .granted, count: 11))
        #expect(count.withLock(\.self) == 1)
    }

    @Test func `where the first handler does not answer, the next one is asked`() async {
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

    @Test func `who does not wait any more gets no answer, but a late one is kept`() async {
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

    @Test func `who comes after the last one has gone asks anew`() async {
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
}

/// Lets everybody through once it is open.
private final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func open() { continuation.finish() }

    /// Whether the task is cancelled or not, like a dialog of an app.
    func wait() async {
        await Task { for await _ in stream {} }.value
    }
}
