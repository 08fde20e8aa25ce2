import EarshotDiscovery
import Synchronization

/// Asks the user whether the program may find devices nearby, and keeps the answer in a `PermissionStore`.
///
/// Asked is, in this order,
/// 1. the handler of the operation; where it does not answer, nothing is decided;
/// 2. whoever sits at the terminal, where standard input and standard error are one and the program is in its foreground;
/// 3. nobody: nothing is decided.
///
/// It never grants by itself. Who was denied is asked again with the next operation. Operations that begin while the user is asked
/// share the question; one that comes from elsewhere meanwhile (`PermissionStore.set`, another program) answers it, too. There is no
/// desktop notification yet: that would need a client of the session bus.
public final class Consent: PermissionGate {
    /// Where the answer is kept.
    public let store: PermissionStore

    private let folder: ConfigurationFolder
    private let prompt: TerminalPrompt?
    private let log: (@Sendable (String) -> Void)?
    private let pending = Mutex<PendingConsent?>(nil)

    /// - Parameters:
    ///   - applicationIdentifier: names the folder of the answer and the manifest.
    ///   - configurationFolder: in place of `$XDG_CONFIG_HOME`.
    ///   - asksOnTerminal: false for a program that uses the terminal otherwise: it has to ask by itself.
    ///   - log: gets lines for people.
    public convenience init(
        applicationIdentifier: String, configurationFolder: String? = nil, asksOnTerminal: Bool = true,
        log: (@Sendable (String) -> Void)? = nil
    ) {
        self.init(
            applicationIdentifier: applicationIdentifier, configurationFolder: configurationFolder,
            prompt: asksOnTerminal ? TerminalPrompt() : nil, log: log)
    }

    init(
        applicationIdentifier: String, configurationFolder: String?, prompt: TerminalPrompt?,
        log: (@Sendable (String) -> Void)? = nil
    ) {
        folder = ConfigurationFolder(applicationIdentifier: applicationIdentifier, base: configurationFolder)
        store = PermissionStore(
            applicationIdentifier: applicationIdentifier, configurationFolder: configurationFolder, log: log)
        self.prompt = prompt
        self.log = log
    }

    /// See the protocol.
    public var changes: AsyncStream<PermissionState> { store.changes }

    /// See the protocol.
    public func request(_ purpose: ConsentPurpose, override: ConsentHandler?) async -> PermissionState {
        while !Task.isCancelled, store.state != .granted {
            let (pending, isOwn) = question(purpose, override)
            let answer = await pending.answer
            // Where somebody else's handler has not answered, ours may.
            if isOwn || override == nil || answer != .undecided { return answer }
        }
        return store.state
    }

    /// The question that is open, or a new one.
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
                    // Denied from the beginning is why we ask.
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
            if answer == .undecided { log?("The program's own question got no answer: nothing is decided.") }
        } else if let prompt, prompt.isAvailable {
            answer = await ask(purpose, on: prompt)
        } else {
            log?("There is neither a handler nor a terminal to ask for permission: nothing is decided.")
            return .undecided
        }
        // Also where nobody waits for it any more: it is what the user wants.
        if answer != .undecided { keep(answer) }
        return answer
    }

    private func ask(_ purpose: ConsentPurpose, on prompt: TerminalPrompt) async -> PermissionState {
        let manifest = PermissionManifest.load(for: folder, log: log)
        if manifest.microphoneUsageDescription == nil, purpose.mode.contains(.scan) {
            log?("\(folder.name).nearby.json does not say why the microphone is used (NSMicrophoneUsageDescription).")
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
            log?("\(error) The answer holds until the program ends.")
        }
    }
}
