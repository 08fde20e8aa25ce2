import Dispatch
package import EarshotPush
public import Foundation
import NearbyWire
import Synchronization

/// A configuration of local push: the networks on which `earshot-agent` runs the app's provider, and the provider's
/// settings.
///
///     let manager = NEAppPushManager()
///     manager.matchSSIDs = ["Cruise Ship Wi-Fi"]
///     manager.providerBundleIdentifier = "com.example.SimplePush.Provider"
///     manager.isEnabled = true
///     manager.saveToPreferences { error in … }
///
/// Changes take effect with `saveToPreferences`. It can be used on any thread; handlers and the delegate are called on the main
/// queue, so the program must serve it.
public final class NEAppPushManager: NSObject, Sendable {
    private struct State {
        var configuration: PushConfiguration
        /// A value that was set but is not a property list, and the reason.
        var invalid: (values: UncheckedValues, flaw: PropertyList.Invalid)?
        /// Whether it has been saved or loaded.
        var isLoaded = false
    }

    private let state: Mutex<State>
    private let delegateBox = Mutex(DelegateBox())
    let system: PushSystem

    /// A configuration that is not saved yet.
    public override convenience init() { self.init(system: .current) }

    package init(system: PushSystem, loaded: PushConfiguration? = nil) {
        self.system = system
        let configuration = loaded ?? PushConfiguration(app: system.app)
        state = Mutex(State(configuration: configuration, isLoaded: loaded != nil))
        super.init()
    }

    package var identifier: String { state.withLock(\.configuration.identifier) }
}

// MARK: Values

extension NEAppPushManager {
    /// The names of the Wi-Fi networks: up to 10, each 1 to 32 bytes of UTF-8. Reading leaves out names that are not UTF-8.
    public var matchSSIDs: [String] {
        get { matchSSIDBytes.compactMap { String(validating: $0, as: UTF8.self) } }
        set { matchSSIDBytes = newValue.map { Array($0.utf8) } }
    }

    /// The same as bytes, for names that are not UTF-8. The original does not have it.
    public var matchSSIDBytes: [[UInt8]] {
        get { state.withLock(\.configuration.ssids) }
        set { state.withLock { $0.configuration.ssids = newValue } }
    }

    /// Mobile networks of organizations, up to 10.
    public var matchPrivateLTENetworks: [NEPrivateLTENetwork] {
        get { state.withLock(\.configuration.mobileNetworks).map(NEPrivateLTENetwork.init) }
        set { state.withLock { $0.configuration.mobileNetworks = newValue.map(\.value) } }
    }

    /// Whether it matches while Ethernet has the primary route.
    public var matchEthernet: Bool {
        get { state.withLock(\.configuration.matchesEthernet) }
        set { state.withLock { $0.configuration.matchesEthernet = newValue } }
    }

    /// Passed to the provider unchanged: a property list, up to 64 KiB as JSON. Any other value is an error of
    /// `saveToPreferences`.
    public var providerConfiguration: [String: Any] {
        get {
            state.withLock { state in
                state.invalid?.values.values ?? state.configuration.providerConfiguration.values
            }
        }
        set {
            do throws(PropertyList.Invalid) {
                let values = try [String: PropertyList](newValue, keyPath: "providerConfiguration")
                state.withLock { ($0.configuration.providerConfiguration, $0.invalid) = (values, nil) }
            } catch {
                let values = UncheckedValues(newValue)
                state.withLock { $0.invalid = (values, error) }
            }
        }
    }

    /// The name of the manifest of the provider's program, `<providerBundleIdentifier>.json`.
    public var providerBundleIdentifier: String? {
        get { state.withLock(\.configuration.provider) }
        set { state.withLock { $0.configuration.provider = newValue } }
    }

    /// The description in `earshot push list`.
    public var localizedDescription: String? {
        get { state.withLock(\.configuration.localizedDescription) }
        set { state.withLock { $0.configuration.localizedDescription = newValue } }
    }

    /// Whether the provider runs while a network matches. Saving another enabled configuration for one of the networks, of any app,
    /// switches it off; `loadFromPreferences` then reads false.
    public var isEnabled: Bool {
        get { state.withLock(\.configuration.isEnabled) }
        set { state.withLock { $0.configuration.isEnabled = newValue } }
    }
}

// MARK: The provider

extension NEAppPushManager {
    /// Whether the provider runs and its `start` succeeded.
    public var isActive: Bool { system.client.isActive(identifier) }

    /// `isActive` now, and then each change. Each call returns a new stream. The original lets apps observe the property instead.
    public var activeStates: AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(16))
        let (identifier, last) = (identifier, Last())
        let client = system.client
        client.want(startsAgent: false)
        let number = client.watch { active in
            let isActive = active.contains(identifier)
            if last.change(isActive) { continuation.yield(isActive) }
        }
        continuation.onTermination = { _ in client.unwatch(number) }
        return stream
    }

    /// Calls a closure with `isActive` now and at each change, on the main queue, until the result is cancelled or released.
    public func observeActive(_ change: @escaping @MainActor @Sendable (Bool) -> Void) -> NEAppPushObservation {
        let states = activeStates
        return NEAppPushObservation(Task { @MainActor in for await isActive in states { change(isActive) } })
    }

    /// Receives the calls that the provider reports. Earlier calls wait for it. While a delegate is set, the manager is
    /// retained, so that a program need not retain it itself; the delegate is not retained.
    public var delegate: (any NEAppPushDelegate)? {
        get { delegateBox.withLock(\.delegate) }
        set {
            let box = DelegateBox(newValue)
            delegateBox.withLock { $0 = box }
            system.deliveries.delegateChanged(of: self)
        }
    }
}

/// Ends an observation with `cancel`, or when it is released.
public final class NEAppPushObservation: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    deinit { task.cancel() }

    /// Ends the observation.
    public func cancel() { task.cancel() }
}

// MARK: Preferences

extension NEAppPushManager {
    /// Reads all configurations of this app. `isActive` is known when the handler is called, if an agent runs.
    /// - Parameter completionHandler: receives nil and an error if the folder cannot be used.
    public class func loadAllFromPreferences(
        completionHandler: @escaping ([NEAppPushManager]?, (any Error)?) -> Void
    ) {
        let handler = UncheckedHandler(completionHandler)
        loadAll { result in
            switch result {
            case .success(let managers): handler.body(managers, nil)
            case .failure(let error): handler.body(nil, error)
            }
        }
    }

    /// The same for a handler without an optional, as in the documents' examples: an empty array if there is an error.
    @_disfavoredOverload
    public class func loadAllFromPreferences(
        completionHandler: @escaping ([NEAppPushManager], (any Error)?) -> Void
    ) {
        let handler = UncheckedHandler(completionHandler)
        loadAll { result in
            switch result {
            case .success(let managers): handler.body(managers, nil)
            case .failure(let error): handler.body([], error)
            }
        }
    }

    /// The same as an asynchronous function.
    /// - Throws: `NEAppPushManagerError`.
    public class func loadAllFromPreferences() async throws -> [NEAppPushManager] {
        try await withCheckedThrowingContinuation { continuation in
            loadAll { continuation.resume(with: $0) }
        }
    }

    private class func loadAll(
        _ done: @escaping @Sendable (Result<[NEAppPushManager], any Error>) -> Void
    ) {
        let system = PushSystem.current
        system.perform(done) {
            let content = system.store.load()
            for problem in content.problems { StandardError.warn(problem) }
            let mine = content.configurations.filter { $0.app == system.app }
            system.client.want(startsAgent: mine.contains(where: \.isEnabled))
            // The oldest first, in the order of their creation.
            return mine.reversed().map { NEAppPushManager(system: system, loaded: $0) }
        }
    }

    /// Reads the last saved configuration again.
    /// - Parameter completionHandler: receives nil, or a `NEAppPushManagerError`.
    public func loadFromPreferences(completionHandler: @escaping ((any Error)?) -> Void) {
        let handler = UncheckedHandler(completionHandler)
        load { handler.body($0.error) }
    }

    /// The same as an asynchronous function.
    public func loadFromPreferences() async throws {
        try await withCheckedThrowingContinuation { continuation in load { continuation.resume(with: $0) } }
    }

    private func load(_ done: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        system.perform(done) { [self] in
            let saved = try system.store.load(identifier: identifier)
            state.withLock { ($0.configuration, $0.invalid, $0.isLoaded) = (saved, nil, true) }
            system.client.want(startsAgent: saved.isEnabled)
        }
    }

    /// Saves the configuration. The agent applies it within a second. Every other enabled configuration for one of the
    /// networks is switched off.
    /// - Parameter completionHandler: receives nil, or a `NEAppPushManagerError`.
    public func saveToPreferences(completionHandler: @escaping ((any Error)?) -> Void) {
        let handler = UncheckedHandler(completionHandler)
        save { handler.body($0.error) }
    }

    /// The same as an asynchronous function.
    public func saveToPreferences() async throws {
        try await withCheckedThrowingContinuation { continuation in save { continuation.resume(with: $0) } }
    }

    private func save(_ done: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        // The values set now, not those set later.
        let (present, flaw) = state.withLock { ($0.configuration, $0.invalid?.flaw) }
        system.perform(done) { [self] in
            if let flaw { throw NEAppPushManagerError(.configurationInvalid, flaw.description) }
            var configuration = present
            configuration.programFolder = system.programFolder
            let saved = try system.store.save(configuration).saved
            state.withLock { state in
                state.isLoaded = true
                state.configuration.programFolder = saved.programFolder
            }
            system.client.want(startsAgent: saved.isEnabled)
        }
    }

    /// Removes the saved configuration; its provider stops. The values of this object do not change.
    /// - Parameter completionHandler: receives nil, or a `NEAppPushManagerError`.
    public func removeFromPreferences(completionHandler: @escaping ((any Error)?) -> Void) {
        let handler = UncheckedHandler(completionHandler)
        remove { handler.body($0.error) }
    }

    /// The same as an asynchronous function.
    public func removeFromPreferences() async throws {
        try await withCheckedThrowingContinuation { continuation in remove { continuation.resume(with: $0) } }
    }

    private func remove(_ done: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        system.perform(done) { [self] in
            guard state.withLock(\.isLoaded) else {
                throw NEAppPushManagerError(
                    .configurationNotLoaded, "The configuration was neither saved nor loaded, so it cannot be removed.")
            }
            try system.store.remove(identifier: identifier)
            state.withLock { $0.isLoaded = false }
        }
    }
}

extension Result {
    fileprivate var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}

/// The last reported value.
private final class Last: Sendable {
    private let value = Mutex<Bool?>(nil)

    func change(_ new: Bool) -> Bool {
        value.withLock { value in
            defer { value = new }
            return value != new
        }
    }
}

/// A delegate that is not retained. Unchecked, because only its reference is used off the main queue.
struct DelegateBox: @unchecked Sendable {
    weak var delegate: (any NEAppPushDelegate)?

    init(_ delegate: (any NEAppPushDelegate)? = nil) { self.delegate = delegate }
}

/// An app's handler. Unchecked, because it is called once, on the main queue, as in the original.
private struct UncheckedHandler<Handler>: @unchecked Sendable {
    let body: Handler

    init(_ body: Handler) { self.body = body }
}

/// Values of an app that are only returned to it.
private struct UncheckedValues: @unchecked Sendable {
    let values: [String: Any]

    init(_ values: [String: Any]) { self.values = values }
}
