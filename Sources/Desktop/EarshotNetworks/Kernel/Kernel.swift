/// The kernel's interface for the watch. Tests replace it.
package protocol Kernel: Sendable {
    /// The current links and routes. It takes about a millisecond.
    func picture() throws(KernelError) -> KernelPicture

    /// Calls `change` after each change of links, routes or Wi-Fi connections, on its own thread, until it is cancelled.
    func receiveChanges(_ change: @escaping @Sendable () -> Void) -> KernelReception
}

/// A reception of changes. It lasts until it is cancelled.
package struct KernelReception: Sendable {
    private let end: @Sendable () -> Void

    package init(_ end: @escaping @Sendable () -> Void = {}) {
        self.end = end
    }

    package func cancel() {
        end()
    }
}

/// The reason why the kernel cannot tell its network, as a part of a sentence for the user.
package struct KernelError: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String
    /// The number of `errno`, or 0.
    package var number: Int32

    package init(_ description: String, number: Int32 = 0) {
        self.description = description
        self.number = number
    }
}
