import EarshotDiscovery
import Synchronization

/// Asks the user whether the program may find devices nearby, and keeps the answer in a `PermissionStore`.
///
/// It asks, in this order,
/// 1. the operation's own handler; if the handler does not answer, the permission stays undecided;
/// 2. the prompt, if there is one and it is available.
///
/// Without either, the permission stays undecided, and standard error says so once. `Consent` never grants by itself. After a denial, the next operation asks
/// again. Operations that begin while the user is being asked share the question. An answer from elsewhere
/// (`PermissionStore.set`, another program) ends the question. There is no desktop notification: that would need a client of
/// the session bus.
public final class Consent: PermissionGate {
    /// The store that keeps the answer. An app may set it too, in response to its user.
    public let store: PermissionStore

    private let folder: ConfigurationFolder
    private let prompt: (any ConsentPrompt)?
    private let log: (@Sendable (String) -> Void)?
    private let warn: @Sendable (String) -> Void
    private let hasWarned = Atomic(false)
    private let pending = Mutex<PendingConsent?>(nil)

    /// - Parameters:
    ///   - applicationIdentifier: names the folder of the answer and the manifest.
    ///   - configurationFolder: replaces `$XDG_CONFIG_HOME`; nil for that.
    ///   - prompt: asks the user if an operation has no handler; nil to ask nothing.
    ///   - log: receives lines for people.
    ///   - warn: receives the lines that the user must see even without a log: that nothing can ask for consent, and that an
    ///     answer cannot be kept. nil for standard error.
    public init(
        applicationIdentifier: String, configurationFolder: String? = nil, prompt: (any ConsentPrompt)? = nil,
        log: (@Sendable (String) -> Void)? = nil, warn: (@Sendable (String) -> Void)? = nil
    ) {
        folder = ConfigurationFolder(applicationIdentifier: applicationIdentifier, base: configurationFolder)
        store = PermissionStore(
            applicationIdentifier: applicationIdentifier, configurationFolder: configurationFolder, log: log)
        self.prompt = prompt
        self.log = log
        self.warn = warn ?? StandardError.warn
    }

    /// The permission as the store has it now, and then each change. Each call returns a new stream.
    public var changes: AsyncStream<PermissionState> { store.changes }

    /// Returns at once if the permission is granted; otherwise asks the user.
    /// - Parameters:
    ///   - purpose: what the operation needs.
    ///   - override: the operation's own handler; it replaces the prompt.
    /// - Returns: the user's decision; `undecided` if there is none, or if the task is cancelled.
    public func request(_ purpose: ConsentPurpose, override: ConsentHandler?) async -> PermissionState {
        while !Task.isCancelled, store.state != .granted {
            let (pending, isOwn) = question(purpose, override)
            let answer = await pending.answer
            // If another operation's handler did not answer, ours may.
            if isOwn || override == nil || answer != .undecided { return answer }
        }
        return store.state
    }

    /// The open question, or a new one.
    private func question(_ purpose: ConsentPurpose, _ override: ConsentHandler?) -> (PendingConsent, isOwn: Bool) {
        let (question, isOwn) = pending.withLock { pending in
            if let pending, !pending.isOver { return (pending, false) }
            let question = PendingConsent()
            pending = question
            return (question, true)
        }
        guard isOwn else { return (question, false) }
        let changes = store.changes
        question.run([
            { question.finish(await self.ask(purpose, override)) },
            {
                var isChange = false
                for await state in changes {
                    // A denial that was there before is the reason for this question, not its answer.
                    if state == .granted || state == .denied && isChange { return question.finish(state) }
                    isChange = true
                }
            },
        ])
        return (question, true)
    }

    private func ask(_ purpose: ConsentPurpose, _ override: ConsentHandler?) async -> PermissionState {
        let answer: PermissionState
        if let override {
            answer = await override(purpose)
            if answer == .undecided { log?("The operation's consent handler got no answer. Nothing is decided.") }
        } else if let prompt, prompt.isAvailable {
            answer = await ask(purpose, on: prompt)
        } else {
            log?("The operation has no consent handler, and no prompt is available. Nothing is decided.")
            if !hasWarned.exchange(true, ordering: .relaxed) {
                warn(
                    "\(folder.name) plays, records and sends nothing: it has no consent, and there is no terminal or "
                        + "dialog to ask for it. Start it on a terminal, or write {\"permission\":\"granted\"} into "
                        + "\(store.path).")
            }
            return .undecided
        }
        // Keeps a late answer too: it is what the user wants, even if no operation waits for it.
        if answer != .undecided { keep(answer) }
        return answer
    }

    private func ask(_ purpose: ConsentPurpose, on prompt: any ConsentPrompt) async -> PermissionState {
        let manifest = PermissionManifest.load(for: folder, log: log)
        if manifest.microphoneUsageDescription == nil, purpose.mode.contains(.scan) {
            log?("\(folder.name).nearby.json gives no reason to use the microphone (NSMicrophoneUsageDescription).")
        }
        let question = ConsentQuestion(purpose, manifest: manifest, path: store.path)
        switch await prompt.ask(question) {
        case true?: return .granted
        case false?: return .denied
        case nil: return .undecided
        }
    }

    private func keep(_ answer: PermissionState) {
        do throws(PermissionStoreError) {
            try store.set(answer)
        } catch {
            warn("\(error) The answer holds until the program ends.")
        }
    }
}
