import Foundation
public import NIOCore

/// The wire format, version 1: a length, UInt32, big-endian, and that many bytes of JSON.
///
/// The JSON is an object with exactly one key, the name of the frame. The README describes every frame.
public enum WireFormat {
    /// The version that a client names when it registers.
    public static let version = 1
    /// The longest frame of a client, in bytes of JSON.
    public static let maximumClientByteCount = 16_384
    /// The longest frame of the server, in bytes of JSON.
    public static let maximumServerByteCount = 65_536
    /// The default port of the server.
    public static let defaultPort = 4_460

    /// Reads the frame of a client.
    /// - Throws: `WireError` for anything but a frame of this version within the limits.
    public static func clientFrame(_ buffer: ByteBuffer) throws(WireError) -> ClientFrame {
        let frame: ClientFrame = try decode(buffer, limit: maximumClientByteCount)
        try frame.check()
        return frame
    }

    /// Reads the frame of a server.
    /// - Throws: `WireError` for anything but a frame of this version within the limits.
    public static func serverFrame(_ buffer: ByteBuffer) throws(WireError) -> ServerFrame {
        try decode(buffer, limit: maximumServerByteCount)
    }

    /// The length and the JSON of a frame.
    /// - Throws: `WireError` if the frame is longer than its receiver allows.
    public static func bytes(_ frame: ClientFrame) throws(WireError) -> ByteBuffer {
        try frame.check()
        return try encode(frame, limit: maximumClientByteCount)
    }

    /// The length and the JSON of a frame.
    /// - Throws: `WireError` if the frame is longer than its receiver allows.
    public static func bytes(_ frame: ServerFrame) throws(WireError) -> ByteBuffer {
        try encode(frame, limit: maximumServerByteCount)
    }

    private static func decode<Frame: Decodable>(_ buffer: ByteBuffer, limit: Int) throws(WireError) -> Frame {
        guard buffer.readableBytes <= limit else { throw .length(buffer.readableBytes, limit: limit) }
        do {
            return try JSONDecoder().decode(Frame.self, from: Data(buffer.readableBytesView))
        } catch {
            throw .malformed(String(describing: Frame.self))
        }
    }

    private static func encode(_ frame: some Encodable, limit: Int) throws(WireError) -> ByteBuffer {
        let data: Data
        do {
            data = try JSONEncoder().encode(frame)
        } catch {
            throw .malformed(String(describing: type(of: frame)))
        }
        guard data.count <= limit else { throw .length(data.count, limit: limit) }
        var buffer = ByteBuffer()
        buffer.reserveCapacity(data.count + 4)
        buffer.writeInteger(UInt32(data.count))
        buffer.writeBytes(data)
        return buffer
    }
}

/// The error of a frame.
public enum WireError: Error, Equatable, CustomStringConvertible {
    /// The frame has this many bytes; the limit is in bytes, too.
    case length(Int, limit: Int)
    /// The JSON is not that of a frame of the named kind.
    case malformed(String)
    /// A part of a frame is outside its limits; the sentence says which.
    case value(String)

    /// A sentence.
    public var description: String {
        switch self {
        case .length(let count, let limit): "A frame has \(count) bytes; 1 to \(limit) are allowed."
        case .malformed(let kind): "These bytes are no \(kind) of version \(WireFormat.version)."
        case .value(let sentence): sentence
        }
    }
}

/// Cuts a stream of bytes into frames. It passes each frame's JSON on, without the length.
public struct FrameDecoder: ByteToMessageDecoder {
    /// The JSON of one frame.
    public typealias InboundOut = ByteBuffer
    private let maximumByteCount: Int

    /// - Parameter maximumByteCount: The longest JSON, in bytes.
    public init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

    /// Passes one frame on, if it is complete.
    /// - Throws: `WireError.length` as soon as a length outside the limits was read, before its bytes arrive.
    public mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else { return .needMoreData }
        guard length >= 1, length <= maximumByteCount else {
            throw WireError.length(Int(length), limit: maximumByteCount)
        }
        guard buffer.readableBytes >= 4 + Int(length) else { return .needMoreData }
        buffer.moveReaderIndex(forwardBy: 4)
        if let frame = buffer.readSlice(length: Int(length)) { context.fireChannelRead(wrapInboundOut(frame)) }
        return .continue
    }

    /// A frame that the end of the connection cut is dropped.
    public mutating func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        while try decode(context: context, buffer: &buffer) == .continue {}
        return .needMoreData
    }
}

/// The name of a frame as a JSON key, including names that this version does not know.
struct FrameName: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
    init(_ name: String) { stringValue = name }

    /// The only name in a frame.
    static func only(in container: KeyedDecodingContainer<FrameName>) throws -> FrameName {
        guard container.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "A frame has exactly one name."))
        }
        return container.allKeys[0]
    }
}

/// The empty content of a frame whose name says everything.
struct NoContent: Codable {
    init() {}

    /// - Throws: an error for anything but an object.
    init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: FrameName.self) }

    func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: FrameName.self) }
}
