import Dispatch
import EarshotMessages
import EarshotSystem
import Glibc
import NearbyWire
import Synchronization

/// Accepts connections on the agent's socket, checks their users, and passes frames on.
final class AgentServer: Sendable {
    private struct State {
        var connections: [Int: AgentConnection] = [:]
        var count = 0
        var source: ReadSource?
    }

    private let socket: Descriptor
    private let user: uid_t
    private let input: AsyncStream<Supervisor.Input>.Continuation
    private let clock: AgentClock
    private let log: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "earshot.agent.server")
    private let state = Mutex(State())

    /// - Parameters:
    ///   - socket: a listening socket, which the server owns from now on.
    ///   - user: the only user that may connect.
    init(
        _ socket: CInt, user: uid_t = getuid(), input: AsyncStream<Supervisor.Input>.Continuation,
        clock: AgentClock = AgentClock(), log: @escaping @Sendable (String) -> Void
    ) {
        self.socket = Descriptor(owning: socket)
        self.user = user
        self.input = input
        self.clock = clock
        self.log = log
        _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
    }

    func start() {
        state.withLock { state in
            state.source = ReadSource(socket.number, queue: queue) { self.accept() }
        }
    }

    /// Stops accepting, and ends all connections.
    func close() {
        let (source, connections) = state.withLock { ($0.source, $0.connections) }
        source?.cancel()
        // New connections are refused from now on, even while this object still exists.
        _ = shutdown(socket.number, CInt(SHUT_RDWR))
        for connection in connections.values { connection.close() }
    }

    private func accept() {
        // Swift does not import accept4.
        let descriptor = Glibc.accept(socket.number, nil, nil)
        if descriptor < 0 {
            // Without this pause, a process without free descriptors would loop without rest.
            if errno == EMFILE || errno == ENFILE { usleep(100_000) }
            return
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        guard let peer = AgentSocket.peer(descriptor), peer.user == user else {
            log(
                "refused a connection of another user (\(AgentSocket.peer(descriptor).map { "\($0.user)" } ?? "unknown"))"
            )
            Glibc.close(descriptor)
            return
        }
        let number = state.withLock { state -> Int? in
            guard state.connections.count < Supervisor.maximumClientCount else { return nil }
            state.count += 1
            return state.count
        }
        let backlog = FrameBacklog()
        let connection = AgentConnection(
            descriptor, queue: queue,
            onFrame: { [input, clock] connection, body in
                guard backlog.add(body.count, now: clock.monotonicSeconds()) else {
                    connection.send(
                        AgentFrame.refusal(AgentFrame.Refusal("The program sends faster than the agent allows.")))
                    return connection.closeAfterSending()
                }
                guard let number, let frame = AgentProtocol.decode(body, as: ClientFrame.self) else {
                    connection.send(AgentFrame.refusal(AgentFrame.Refusal("This is not a frame of the protocol.")))
                    return connection.closeAfterSending()
                }
                input.yield(.frame(number, frame, byteCount: body.count))
            },
            onEnd: { [weak self] _ in
                guard let number else { return }
                self?.state.withLock { _ = $0.connections.removeValue(forKey: number) }
                self?.input.yield(.closed(number))
            })
        guard let number else {
            log("refused a connection: there are \(Supervisor.maximumClientCount) already")
            connection.send(AgentFrame.refusal(AgentFrame.Refusal("The agent has too many clients already.")))
            return connection.close()
        }
        state.withLock { $0.connections[number] = connection }
        input.yield(.opened(number, connection, process: peer.process, backlog))
        connection.start()
    }
}
