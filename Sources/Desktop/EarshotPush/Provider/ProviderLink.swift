import Dispatch
import Foundation
import Glibc
package import NearbyWire
import Synchronization

/// A provider's connection to the agent that started it.
package final class ProviderLink: Sendable {
    /// The agent's events, on a queue of the link's own.
    package enum Event: Sendable {
        case begin(ProviderOrder.Begin)
        case stop(PushStopReason)
        /// The agent is gone, or speaks another version.
        case end
    }

    /// The variables with the numbers of the provider's descriptors.
    package static let socketVariable = "EARSHOT_PROVIDER_SOCKET"
    /// A locked file, which is unlocked when the process ends, so that no second process starts before.
    package static let lockVariable = "EARSHOT_PROVIDER_LOCK"

    private final class Question: Sendable {
        let isAnswered = DispatchSemaphore(value: 0)
        let refusal = Mutex<String?>(nil)
    }

    private let connection = Mutex<AgentConnection?>(nil)
    private let questions = Mutex<[String: Question]>([:])
    private let descriptor: CInt
    private let queue = DispatchQueue(label: "earshot.provider")
    private let onEvent: @Sendable (Event) -> Void

    /// - Parameter descriptor: a connected socket, which the link owns from now on.
    package init(_ descriptor: CInt, onEvent: @escaping @Sendable (Event) -> Void) {
        self.descriptor = descriptor
        self.onEvent = onEvent
    }

    /// The socket from the agent; nil if the agent did not start this process. Call it once: it removes the variables,
    /// which must not reach other programs.
    package static func takeSocket() -> CInt? {
        func number(_ name: String) -> CInt? {
            defer { unsetenv(name) }
            guard let text = getenv(name), let number = CInt(String(cString: text)), fcntl(number, F_GETFD) >= 0
            else { return nil }
            // A program that the provider starts must not inherit them.
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            return number
        }
        _ = number(lockVariable)
        return number(socketVariable)
    }

    /// Begins to read.
    package func start() {
        let connection = AgentConnection(
            descriptor, queue: queue, onFrame: { [self] in take($1, from: $0) }, onEnd: { [self] _ in onEvent(.end) })
        self.connection.withLock { $0 = connection }
        connection.start()
    }

    package func send(_ frame: ProviderFrame) {
        _ = connection.withLock(\.self)?.send(frame)
    }

    /// Sends a report or a notification and waits until the agent has it on the disk. If the agent dies meanwhile, this waits
    /// for the end of the process.
    /// - Parameter id: the id of the frame.
    /// - Returns: the reason for a refusal; nil if the agent has it.
    package func ask(_ frame: ProviderFrame, id: String) -> String? {
        let question = Question()
        questions.withLock { $0[id] = question }
        send(frame)
        question.isAnswered.wait()
        return question.refusal.withLock(\.self)
    }

    private func take(_ body: Data, from connection: AgentConnection) {
        switch AgentProtocol.decode(body, as: ProviderOrder.self) {
        case nil: connection.close()
        case .begin(let begin):
            guard begin.version == ProviderOrder.version else { return connection.close() }
            onEvent(.begin(begin))
        case .stop(let stop): onEvent(.stop(PushStopReason(rawValue: stop.reason) ?? .none))
        case .answer(let answer):
            guard let question = questions.withLock({ $0.removeValue(forKey: answer.id) }) else { return }
            question.refusal.withLock { $0 = answer.refusal }
            question.isAnswered.signal()
        }
    }
}
