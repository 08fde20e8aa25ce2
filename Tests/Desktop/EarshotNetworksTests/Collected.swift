import EarshotNetworks
import Synchronization

/// The situations that a watch reported so far. It ends with `stop`.
final class Collected: Sendable {
    private let list = Mutex<[NetworkSituation]>([])
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ networks: some NetworkWatching) {
        let stream = networks.situations()
        let task = Task { for await situation in stream { list.withLock { $0.append(situation) } } }
        self.task.withLock { $0 = task }
    }

    var situations: [NetworkSituation] { list.withLock { $0 } }
    var networks: [Network?] { situations.map(\.primary) }
    func stop() { task.withLock { $0 }?.cancel() }
}
