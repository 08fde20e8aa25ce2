import Glibc
import NIOCore

/// A TCP port reserved for a listener: the system does not give it to other sockets that ask for a free port.
///
/// Its socket is bound and does not listen. With `SO_REUSEADDR`, which every listener of the service sets, a listener may
/// bind the same port; a bind to port 0 and the source port of a connection avoid it. See socket(7), `SO_REUSEADDR`.
final class ReservedPort: Sendable {
    let number: Int
    /// -1 for a port that the operator chose: the listener reports whether it can use it.
    private let descriptor: Int32

    /// - Parameter port: 0 for any free one.
    /// - Throws: `AdministrationError` if no port is free.
    init(_ host: String, _ port: Int) throws {
        guard port == 0 else {
            (number, descriptor) = (port, -1)
            return
        }
        let failure = AdministrationError(
            description: "no port is free for other nodes at \(host) (--node-host)")
        guard let address = try? SocketAddress(ipAddress: host, port: 0) else { throw failure }
        let family = address.protocol == .inet6 ? AF_INET6 : AF_INET
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure }
        var isReusable: Int32 = 1
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isBound =
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReusable, socklen_t(MemoryLayout<Int32>.size)) == 0
            && address.withSockAddr { pointer, length in bind(descriptor, pointer, socklen_t(length)) == 0 }
            && withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
            }
        guard isBound else {
            close(descriptor)
            throw failure
        }
        // The port has the same position in both families.
        number = withUnsafeBytes(of: &storage) { Int($0[2]) << 8 | Int($0[3]) }
        self.descriptor = descriptor
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
