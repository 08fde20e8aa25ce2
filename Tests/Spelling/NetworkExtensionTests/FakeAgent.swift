import Dispatch
import EarshotPush
import EarshotSystem
import Foundation
import Glibc
import MessagesTestSupport
import NearbyWire
import NetworkExtension
import Synchronization
import TestSupport

/// The part of the agent's protocol that an app of local push uses.
final class FakeAgent: Sendable {
    private struct State {
        var connections: [AgentConnection] = []
        /// The connections that have sent `pushWatch`. Only these get states and events, because the agent first
        /// welcomes an app.
        var watching: [AgentConnection] = []
        var watches: [PushFrame.Watch] = []
        var taken: [String] = []
        var active: [String] = []
        var waiting: [PushFrame.Event] = []
    }

    private let socket: Descriptor
    private let queue = DispatchQueue(label: "fake.agent")
    private let state = Mutex(State())
    private let source = Mutex<ReadSource?>(nil)

    init(path: String) {
        socket = Descriptor(owning: AgentSocket.listen(path: path))
        let socket = socket
        // The source needs the descriptor until it has ended.
        let source = ReadSource(
            socket.number, queue: queue,
            onReadable: { [weak self] in
                let descriptor = Glibc.accept(socket.number, nil, nil)
                if descriptor >= 0 { self?.serve(descriptor) }
            }, onEnd: { withExtendedLifetime(socket) {} })
        self.source.withLock { $0 = source }
    }

    deinit { close() }

    func close() {
        source.withLock(\.self)?.cancel()
        shutdown(socket.number, CInt(SHUT_RDWR))
        for connection in state.withLock(\.connections) { connection.close() }
    }

    var watches: [PushFrame.Watch] { state.withLock(\.watches) }
    var taken: [String] { state.withLock(\.taken) }

    private func serve(_ descriptor: CInt) {
        let connection = AgentConnection(
            descriptor, queue: queue,
            onFrame: { [weak self] connection, body in
                guard let self, let frame = AgentProtocol.decode(body, as: ClientFrame.self) else { return }
                switch frame {
                case .hello: connection.send(AgentFrame.welcome(AgentFrame.Welcome()))
                case .pushWatch(let watch):
                    // Send within the lock, so that a later frame has a newer state.
                    state.withLock { state in
                        state.watches.append(watch)
                        if !state.watching.contains(where: { $0 === connection }) { state.watching.append(connection) }
                        connection.send(AgentFrame.pushStates(PushFrame.States(active: state.active)))
                        for event in state.waiting { connection.send(AgentFrame.pushEvent(event)) }
                    }
                case .pushTaken(let taken):
                    state.withLock { state in
                        state.taken += taken.ids
                        state.waiting.removeAll { taken.ids.contains($0.id) }
                    }
                default: break
                }
            }, onEnd: { _ in })
        state.withLock { $0.connections.append(connection) }
        connection.start()
    }

    func setActive(_ active: [String]) {
        state.withLock { state in
            state.active = active
            for connection in state.watching {
                connection.send(AgentFrame.pushStates(PushFrame.States(active: active)))
            }
        }
    }

    func report(_ id: String, _ configuration: String, _ userInfo: PropertyList, _ kind: PushFrame.Event.Kind = .call) {
        let event = PushFrame.Event(id: id, configuration: configuration, kind: kind, userInfo: userInfo.json)
        for connection in state.withLock({ state in
            state.waiting.append(event)
            return state.watching
        }) { connection.send(AgentFrame.pushEvent(event)) }
    }
}

/// An app's process, for its managers.
final class App: Sendable {
    let scratch: ScratchFolder
    let system: PushSystem
    let store: PushConfigurationStore

    init(_ app: String = "app", scratch: ScratchFolder? = nil) throws {
        let scratch = try scratch ?? ScratchFolder()
        self.scratch = scratch
        store = PushConfigurationStore(folder: "\(scratch.path)/push")
        system = PushSystem(
            app: app, store: store, client: PushClient(app: app, path: "\(scratch.path)/agent.sock"),
            programFolder: "/nowhere")
    }

    func agent() -> FakeAgent { FakeAgent(path: "\(scratch.path)/agent.sock") }

    func manager(_ ssid: String = "Ship") -> NEAppPushManager {
        let manager = PushSystem.$replacement.withValue(system) { NEAppPushManager() }
        manager.matchSSIDs = [ssid]
        manager.providerBundleIdentifier = "org.example.Provider"
        manager.isEnabled = true
        return manager
    }

    func all() async throws -> [NEAppPushManager] {
        try await PushSystem.$replacement.withValue(system) { try await NEAppPushManager.loadAllFromPreferences() }
    }
}

/// A delegate that records its calls.
@MainActor final class Listener: NSObject, NEAppPushDelegate {
    private(set) var calls: [(manager: NEAppPushManager, userInfo: [AnyHashable: Any])] = []
    private(set) var others: [String] = []

    func appPushManager(
        _ manager: NEAppPushManager, didReceiveIncomingCallWithUserInfo userInfo: [AnyHashable: Any]
    ) {
        dispatchPrecondition(condition: .onQueue(.main))
        calls.append((manager, userInfo))
    }

    func appPushManager(
        _ manager: NEAppPushManager, didReceivePushToTalkMessageWithUserInfo userInfo: [AnyHashable: Any]
    ) { others.append("talk \(userInfo["text"] ?? "")") }

    func appPushManager(
        _ manager: NEAppPushManager, didClickNotification identifier: String, title: String, body: String
    ) { others.append("click \(identifier) \(title) \(body)") }
}
