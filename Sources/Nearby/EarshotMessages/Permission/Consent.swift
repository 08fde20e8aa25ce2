public import EarshotDiscovery
import NearbyWire
import Synchronization

/// Asks the user whether the program may find devices nearby, and stores the answer in a `PermissionStore`.
///
/// It asks, in this order,
/// 1. the operation's own handler; if the handler does not answer, the permission stays undecided;
/// 2. the prompt, if there is one and it can ask.
///
/// An operation that needs the location (`ConsentPurpose.needsLocation`) asks a second question after the first one is
/// granted; an operation that continues in the background asks a different one. Only the prompt asks it: an operation's
/// handler replaces only the first question. The answers are stored separately.
///
/// If neither can ask, the permission stays undecided, and standard error says once why, and what to do. `Consent`
/// never grants permission by itself. After a denial, the next operation asks again. Operations that begin while the
/// user is being asked share the question. An answer from elsewhere (`PermissionStore.set`, another program) ends the
/// question.
public final class Consent: PermissionGate {
    /// The store of the answer. An app may set it too, in response to its user.
    public let store: PermissionStore

    private let folder: ConfigurationFolder
    private let media: Set<DiscoveryMediumKind>
    private let prompt: (any ConsentPrompt)?
    private let log: (@Sendable (String) -> Void)?
    private let warn: @Sendable (String) -> Void
    private let missingReasons: MissingReasons
    private let toldReasons = Mutex<Set<String>>([])
    private let warnedTopics = Mutex<Set<PermissionTopic>>([])
    private let pending = Mutex<PendingConsent?>(nil)

    /// The consequence if the program's manifest gives no reason for an operation.
    public enum MissingReasons: Sendable, Hashable {
        /// None, as for the agent: its operations have passed this check in their app.
        case ignored
        /// The log says so once.
        case logged
        /// The user sees it once, on standard error.
        case warned
        /// The operation stays inactive, as on a phone.
        case refused
    }

    /// - Parameters:
    ///   - applicationIdentifier: the name of the folder of the answer and the manifest.
    ///   - configurationFolder: replaces `$XDG_CONFIG_HOME`; nil for that.
    ///   - media: the media of the program; the question names them for operations that name none.
    ///   - prompt: asks the user if an operation has no handler; nil to ask nothing.
    ///   - missingReasons: the consequence if the manifest gives no reason.
    ///   - log: receives lines for people.
    ///   - warn: receives the lines that the user must see even without a log: the user cannot be asked, or an answer
    ///     cannot be stored. nil for standard error.
    public init(
        applicationIdentifier: String, configurationFolder: String? = nil,
        media: Set<DiscoveryMediumKind> = [.audio], prompt: (any ConsentPrompt)? = nil,
        missingReasons: MissingReasons = .logged, log: (@Sendable (String) -> Void)? = nil,
        warn: (@Sendable (String) -> Void)? = nil
    ) {
        self.media = media
        folder = ConfigurationFolder(applicationIdentifier: applicationIdentifier, base: configurationFolder)
        store = PermissionStore(
            applicationIdentifier: applicationIdentifier, configurationFolder: configurationFolder, log: log)
        self.prompt = prompt
        self.missingReasons = missingReasons
        self.log = log
        self.warn = warn ?? StandardError.warn
    }

    /// The permission in the store now, and then each change. Each call returns a new stream.
    public var changes: AsyncStream<PermissionState> { store.changes }

    /// The same as `changes`; with the location, granted only if both are.
    public func changes(needsLocation: Bool) -> AsyncStream<PermissionState> {
        store.changes(of: needsLocation ? [.nearby, .location] : [.nearby])
    }

    /// The same with the location in the background: granted only if both are.
    public var backgroundLocationChanges: AsyncStream<PermissionState> {
        store.changes(of: [.nearby, .backgroundLocation])
    }

    /// Returns immediately if the permission is granted; otherwise asks the user, first for devices nearby, then for
    /// the location if the purpose needs it.
    /// - Parameters:
    ///   - purpose: what the operation needs.
    ///   - override: the operation's own handler; it replaces the prompt of the first question.
    /// - Returns: the user's decision; `undecided` if there is none, or if the task is cancelled.
    public func request(_ purpose: ConsentPurpose, override: ConsentHandler?) async -> PermissionState {
        let nearby = await decision(on: .nearby, purpose, override)
        guard nearby == .granted, purpose.needsLocation else { return nearby }
        let topic = topic(of: purpose)
        let location = await decision(on: topic, purpose, nil)
        // The first decision may have changed during the second question.
        return location == .granted ? store.decisions[[.nearby, topic]] : location
    }

    /// Checks the manifest's reasons: a missing one refuses the operation, or is reported once, as `MissingReasons`
    /// says.
    public func refusal(of purpose: ConsentPurpose) -> String? {
        guard missingReasons != .ignored else { return nil }
        let manifest = PermissionManifest.load(for: folder, log: log)
        let topics = [.nearby] + (purpose.needsLocation ? [topic(of: purpose)] : [])
        let missing = topics.flatMap {
            Self.missingReasons($0, purpose, media: purpose.media ?? media, manifest)
        }
        guard !missing.isEmpty else { return nil }
        let sentence = "\(folder.name).nearby.json gives no reason to \(missing.joined(separator: ", or to "))."
        if missingReasons == .refused { return "\(sentence) So the operation is refused. Give the reason there." }
        guard toldReasons.withLock({ $0.insert(sentence).inserted }) else { return nil }
        if missingReasons == .warned { warn(sentence) } else { log?(sentence) }
        return nil
    }

    private func topic(of purpose: ConsentPurpose) -> PermissionTopic {
        purpose.goesOnInBackground ? .backgroundLocation : .location
    }

    private func decision(
        on topic: PermissionTopic, _ purpose: ConsentPurpose, _ override: ConsentHandler?
    ) async -> PermissionState {
        while !Task.isCancelled, store.decisions[topic] != .granted {
            let (pending, isOwn) = question(topic, purpose, override)
            let answer = await pending.answer
            // The user was asked another question; this one comes next.
            guard pending.topic == topic else { continue }
            // If another operation's handler did not answer, that of this operation may.
            if isOwn || override == nil || answer != .undecided { return answer }
        }
        return store.decisions[topic]
    }

    /// The open question on any topic, or a new one on this topic: the user is asked one question at a time.
    private func question(
        _ topic: PermissionTopic, _ purpose: ConsentPurpose, _ override: ConsentHandler?
    ) -> (PendingConsent, isOwn: Bool) {
        let (question, isOwn) = pending.withLock { pending in
            if let pending, !pending.isOver { return (pending, false) }
            let question = PendingConsent(topic)
            pending = question
            return (question, true)
        }
        guard isOwn else { return (question, false) }
        let changes = store.changes(of: [topic])
        question.run([
            { question.finish(await self.ask(topic, purpose, override)) },
            {
                var isChange = false
                for await state in changes {
                    // An earlier denial is the reason for this question, not its answer.
                    if state == .granted || state == .denied && isChange { return question.finish(state) }
                    isChange = true
                }
            },
        ])
        return (question, true)
    }

    private func ask(
        _ topic: PermissionTopic, _ purpose: ConsentPurpose, _ override: ConsentHandler?
    ) async -> PermissionState {
        let answer: PermissionState
        if let override {
            answer = await override(purpose)
            if answer == .undecided { log?("The operation's consent handler got no answer. Nothing is decided.") }
        } else if let prompt {
            if let obstacle = await prompt.obstacle { return undecided(topic, because: obstacle) }
            answer = await ask(topic, purpose, on: prompt)
            if answer == .undecided { log?("The prompt got no answer. Nothing is decided.") }
        } else {
            return undecided(topic, because: "it has no prompt; its code must pass one, such as TerminalPrompt()")
        }
        // Stores a late answer too: it is the user's decision, even if no operation waits for it.
        if answer != .undecided { save(answer, for: topic) }
        return answer
    }

    /// - Parameter obstacle: why the user cannot be asked, and what to do.
    private func undecided(_ topic: PermissionTopic, because obstacle: String) -> PermissionState {
        log?("The operation has no consent handler, and the user cannot be asked: \(obstacle). Nothing is decided.")
        guard warnedTopics.withLock({ $0.insert(topic).inserted }) else { return .undecided }
        switch topic {
        case .nearby:
            warn(
                "\(folder.name) plays, records and sends nothing: it has no consent, and cannot ask for it: \(obstacle). "
                    + "{\"permission\":\"granted\"} in \(store.path) is consent too.")
        case .location, .backgroundLocation:
            warn(
                "\(folder.name) finds no beacons: it has no consent to know where this device is"
                    + "\(topic == .location ? "" : " in the background"), and cannot ask for it: \(obstacle). "
                    + "{\"permission\":\"granted\",\"\(topic.rawValue)\":\"granted\"} in \(store.path) is consent too. Scans for "
                    + "Eddystone beacons alone in low power need none.")
        }
        return .undecided
    }

    private func ask(
        _ topic: PermissionTopic, _ purpose: ConsentPurpose, on prompt: any ConsentPrompt
    ) async -> PermissionState {
        let manifest = PermissionManifest.load(for: folder, log: log)
        let question =
            switch topic {
            case .nearby: ConsentQuestion(purpose, media: media, manifest: manifest, path: store.path)
            case .location, .backgroundLocation:
                ConsentQuestion(location: purpose, manifest: manifest, path: store.path)
            }
        switch await prompt.ask(question) {
        case true?: return .granted
        case false?: return .denied
        case nil: return .undecided
        }
    }

    /// The actions of the purpose without a reason in the manifest, each with the manifest's key.
    private static func missingReasons(
        _ topic: PermissionTopic, _ purpose: ConsentPurpose, media: Set<DiscoveryMediumKind>,
        _ manifest: PermissionManifest
    ) -> [String] {
        switch topic {
        case .nearby:
            var missing: [String] = []
            if manifest.microphoneUsageDescription == nil, media.contains(.audio), purpose.mode.contains(.scan) {
                missing.append("use the microphone (NSMicrophoneUsageDescription)")
            }
            if manifest.bluetoothUsageDescription == nil, media.contains(.bluetooth), purpose.mode.contains(.broadcast)
            {
                missing.append("send over Bluetooth (NSBluetoothPeripheralUsageDescription)")
            }
            return missing
        case .location:
            return manifest.locationUsageDescription == nil
                ? ["know where the device is (NSLocationWhenInUseUsageDescription)"] : []
        case .backgroundLocation:
            return manifest.backgroundLocationUsageDescription == nil
                ? ["know where the device is in the background (NSLocationAlwaysUsageDescription)"] : []
        }
    }

    private func save(_ answer: PermissionState, for topic: PermissionTopic) {
        do throws(PermissionStoreError) {
            try store.set(answer, for: topic)
        } catch {
            warn("\(error) The answer holds until the program ends.")
        }
    }
}
