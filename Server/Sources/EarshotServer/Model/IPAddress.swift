import Glibc

/// An IPv4 or IPv6 address.
package struct IPAddress: Sendable, Hashable {
    /// 4 bytes, or 16.
    let bytes: [UInt8]

    /// An IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`) counts as IPv4.
    package init?(_ text: String) {
        var four = [UInt8](repeating: 0, count: 4)
        var sixteen = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = four
        } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
            let isMapped = sixteen[..<10].allSatisfy { $0 == 0 } && sixteen[10] == 0xFF && sixteen[11] == 0xFF
            bytes = isMapped ? Array(sixteen[12...]) : sixteen
        } else {
            return nil
        }
    }

    /// An element of the header `X-Forwarded-For`, which may have a port.
    init?(forwarded text: some StringProtocol) {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
        if text.first == "[", let end = text.firstIndex(of: "]") {
            self.init(String(text[..<end].dropFirst()))
        } else if text.contains("."), let colon = text.firstIndex(of: ":"), !text[..<colon].isEmpty,
            text[text.index(after: colon)...].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        {
            self.init(String(text[..<colon]))
        } else {
            self.init(String(text))
        }
    }

    /// The address in its usual form.
    var text: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = bytes.withUnsafeBytes { bytes in
            inet_ntop(
                bytes.count == 4 ? AF_INET : AF_INET6, bytes.baseAddress, &buffer, socklen_t(buffer.count))
        }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The name of a client for limits: an IPv4 address, or an IPv6 network of 64 bits, in which a client can use any
    /// address.
    var clientName: String {
        guard bytes.count == 16 else { return text }
        return bytes.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "/64"
    }
}
