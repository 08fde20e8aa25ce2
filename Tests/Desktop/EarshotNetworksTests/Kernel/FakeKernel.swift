import Synchronization

@testable import EarshotNetworks

/// A kernel whose state the test sets.
final class FakeKernel: Kernel {
    private struct State {
        var result: Result<KernelPicture, KernelError>
        var receivers: [@Sendable () -> Void] = []
    }

    private let state: Mutex<State>

    init(_ picture: KernelPicture = KernelPicture()) {
        state = Mutex(State(result: .success(picture)))
    }

    func set(_ result: Result<KernelPicture, KernelError>) {
        let receivers = state.withLock { state in
            state.result = result
            return state.receivers
        }
        for receiver in receivers { receiver() }
    }

    func picture() throws(KernelError) -> KernelPicture { try state.withLock { $0.result }.get() }

    func receiveChanges(_ change: @escaping @Sendable () -> Void) -> KernelReception {
        state.withLock { $0.receivers.append(change) }
        return KernelReception()
    }
}

extension KernelPicture {
    /// One link with the default route.
    static func one(_ name: String, _ network: Network?) -> KernelPicture {
        KernelPicture(
            links: [Link(index: 2, name: name, isRunning: true, network: network)],
            routes: [Route(isDefault: true, metric: 0, link: 2)])
    }
}
