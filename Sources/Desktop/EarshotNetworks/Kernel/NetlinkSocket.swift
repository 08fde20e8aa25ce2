import Glibc

/// A netlink socket: requests to the kernel, and its events.
final class NetlinkSocket {
    enum Family: Int32 {
        case route = 0
        case generic = 16
    }

    let descriptor: Int32
    private var sequence: UInt32 = 0

    /// The kernel sends at most this much at once.
    private static let bufferByteCount = 64 << 10
    /// The maximum number of bytes of one answer: about 100,000 routes.
    private static let maximumAnswerByteCount = 16 << 20
    private static let maximumDumpCount = 4
    private static let answerTimeSeconds = 1
    private static let done: UInt16 = 3
    private static let error: UInt16 = 2
    /// NLM_F_MULTI and NLM_F_DUMP_INTR.
    private static let isPart: UInt16 = 0x2
    private static let isInterrupted: UInt16 = 0x10

    /// Opens a socket.
    /// - Parameters:
    ///   - groups: the bits of the groups of events to receive.
    ///   - waits: whether a read waits for the kernel's answer.
    init(_ family: Family, groups: UInt32 = 0, waits: Bool = true) throws(KernelError) {
        let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue) | (waits ? 0 : Int32(SOCK_NONBLOCK.rawValue))
        let opened = socket(AF_NETLINK, type, family.rawValue)
        guard opened >= 0 else { throw Self.failure("opens no netlink socket") }
        // struct sockaddr_nl: family, padding, port, groups.
        let address =
            NetlinkRequest.integer(UInt16(AF_NETLINK)) + [0, 0] + NetlinkRequest.integer(UInt32(0))
            + NetlinkRequest.integer(groups)
        let bound = address.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(opened, $0.baseAddress, socklen_t(bytes.count))
            }
        }
        guard bound == 0 else {
            let failure = Self.failure("does not bind a netlink socket")
            close(opened)
            throw failure
        }
        var limit = timeval(tv_sec: Self.answerTimeSeconds, tv_usec: 0)
        setsockopt(opened, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Also receives the events of a group: NETLINK_ADD_MEMBERSHIP at SOL_NETLINK.
    func join(group: UInt32) -> Bool {
        var number = group
        return setsockopt(descriptor, 270, 1, &number, socklen_t(MemoryLayout<UInt32>.size)) == 0
    }

    /// Requests a list, and calls `take` with each message of it. If the list changed meanwhile, it repeats the
    /// request.
    /// - Parameter restart: called before each list.
    func list(
        type: UInt16, payload: [UInt8], restart: () -> Void, take: (NetlinkMessages.Message) -> Void
    ) throws(KernelError) {
        for _ in 0..<Self.maximumDumpCount {
            restart()
            if try !ask(type: type, flags: NetlinkRequest.dump, payload: payload, take: take) { return }
        }
        throw KernelError("the kernel's list changes too fast")
    }

    /// Sends a request, and calls `take` with each message of the answer.
    /// - Returns: whether the answer is a list that changed while it was sent.
    @discardableResult
    func ask(
        type: UInt16, flags: UInt16, payload: [UInt8], take: (NetlinkMessages.Message) -> Void
    ) throws(KernelError) -> Bool {
        sequence += 1
        let request = NetlinkRequest.bytes(type: type, flags: flags, sequence: sequence, payload: payload)
        guard send(descriptor, request, request.count, 0) == request.count else {
            throw Self.failure("does not take a question")
        }
        var leftByteCount = Self.maximumAnswerByteCount
        var hasChanged = false
        while true {
            guard let bytes = try receive() else { continue }
            leftByteCount -= bytes.count
            guard leftByteCount >= 0 else { throw KernelError("the kernel's answer is too long") }
            for message in NetlinkMessages(bytes[...]) where message.sequence == sequence {
                if message.flags & Self.isInterrupted != 0 { hasChanged = true }
                switch message.type {
                case Self.done: return hasChanged
                case Self.error:
                    let code = message.payload.netlinkInteger(at: 0, Int32.self) ?? 0
                    // Zero is a confirmation.
                    guard code != 0 else { return hasChanged }
                    throw KernelError("the kernel refuses: \(Self.text(code == .min ? 0 : abs(code)))", number: -code)
                default:
                    take(message)
                    if message.flags & Self.isPart == 0 { return hasChanged }
                }
            }
        }
    }

    /// Receives once.
    /// - Returns: nil if the sender is not the kernel.
    private func receive() throws(KernelError) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: Self.bufferByteCount)
        var address = [UInt8](repeating: 0, count: 12)
        var addressByteCount = socklen_t(address.count)
        var count = -1
        repeat {
            count = address.withUnsafeMutableBytes { address in
                address.withMemoryRebound(to: sockaddr.self) {
                    recvfrom(descriptor, &buffer, buffer.count, 0, $0.baseAddress, &addressByteCount)
                }
            }
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw Self.failure("does not answer") }
        // The kernel has the port 0.
        guard address[...].netlinkInteger(at: 4, UInt32.self) == 0 else { return nil }
        buffer.removeLast(buffer.count - count)
        return buffer
    }

    /// Drops all waiting events.
    /// - Returns: false if the socket is broken.
    func drain() -> Bool {
        var buffer = [UInt8](repeating: 0, count: Self.bufferByteCount)
        // Bounded, so that a flood of events does not delay the first of them.
        for _ in 0..<64 {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { continue }
            if count < 0, errno == EINTR { continue }
            // Events that the kernel dropped also count as a change.
            if count < 0, errno == ENOBUFS { continue }
            return count < 0 && errno == EAGAIN
        }
        return true
    }

    private static func failure(_ what: String) -> KernelError {
        let number = errno
        return KernelError("the kernel \(what): \(text(number))", number: number)
    }

    private static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}
