package import Foundation

/// The numbers of the protocol between apps and the agent; docs/AGENT.md explains them.
package enum AgentProtocol {
    /// Increased with each change that an older program would misunderstand.
    package static let version = 1
    /// The maximum size of a frame without its length. A message of maximum size takes 137 KB as JSON
    /// without escaped slashes.
    package static let maximumFrameByteCount = 256 << 10
    /// The maximum number of events that wait for an app that is not running.
    package static let maximumWaitingCount = 64
    /// The number of bytes of the length before a frame.
    package static let lengthByteCount = 4

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
