package import Foundation

/// The numbers of the protocol between apps and the agent; docs/AGENT.md explains them.
package enum AgentProtocol {
    /// Raised by any change that an older program would misunderstand.
    package static let version = 1
    /// The maximum size of a frame without its length. A message of maximum size takes 137 KB as JSON
    /// without escaped slashes.
    package static let maximumFrameByteCount = 256 << 10
    /// The maximum number of events that wait for an app that does not run.
    package static let maximumWaitingCount = 64
    /// The bytes of the length before a frame.
    package static let lengthByteCount = 4

    static func unknown(_ decoder: any Decoder) -> DecodingError {
        DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not exactly one known frame"))
    }

    /// A frame as bytes: the length, big-endian, then JSON.
    /// - Returns: nil if the frame is too large.
    package static func encode(_ frame: some Encodable) -> Data? {
        let encoder = JSONEncoder()
        // Base64 has many slashes; escaped ones would double the size.
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let body = try? encoder.encode(frame), body.count <= maximumFrameByteCount else { return nil }
        let length = UInt32(body.count)
        return Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }) + body
    }

    /// A frame from the bytes after its length.
    package static func decode<Frame: Decodable>(_ body: Data, as type: Frame.Type = Frame.self) -> Frame? {
        try? JSONDecoder().decode(type, from: body)
    }
}

/// Cuts a stream of bytes into frames. It keeps at most one frame.
package struct FrameReader: Sendable {
    /// Not a frame: the stream is of no use any more.
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
