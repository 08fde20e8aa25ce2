package import Foundation

/// Splits a stream of bytes into frames. It stores at most one frame.
package struct FrameReader: Sendable {
    /// Not a frame: the rest of the stream cannot be parsed.
    package struct Invalid: Error {}

    private var bytes = Data()

    package init() {}

    /// The bytes that wait for the rest of their frame.
    package var pendingByteCount: Int { bytes.count }

    /// Takes bytes as they come.
    /// - Returns: the bodies of the frames that are complete.
    /// - Throws: `Invalid` if a length is 0, or exceeds the maximum.
    package mutating func take(_ more: some Sequence<UInt8>) throws(Invalid) -> [Data] {
        bytes.append(contentsOf: more)
        var frames: [Data] = []
        var rest = bytes[...]
        while rest.count >= AgentProtocol.lengthByteCount {
            let length = rest.prefix(AgentProtocol.lengthByteCount).reduce(0) { $0 << 8 | Int($1) }
            guard length > 0, length <= AgentProtocol.maximumFrameByteCount else { throw Invalid() }
            let body = rest.dropFirst(AgentProtocol.lengthByteCount)
            guard body.count >= length else { break }
            frames.append(Data(body.prefix(length)))
            rest = body.dropFirst(length)
        }
        bytes = Data(rest)
        return frames
    }
}
