import Foundation
import NearbyWire

/// A frame that the reader understands survives its own encoding. Any pieces of a stream give the same frames.
func fuzzFrames(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let body = Data(bytes.dropFirst())
    repeated(body, as: ClientFrame.self)
    repeated(body, as: AgentFrame.self)
    repeated(body, as: ProviderFrame.self)
    repeated(body, as: ProviderOrder.self)
    if let frame = AgentProtocol.decode(body, as: ClientFrame.self), case .hold(let hold) = frame {
        _ = (hold.operation.kind, hold.operation.serviceURL)
    }
    let whole = frames(body, pieceCount: max(body.count, 1))
    let pieces = frames(body, pieceCount: 1 + Int(first))
    require(whole == pieces, "\(whole) at once, \(pieces) in pieces")
}

private func repeated<Frame: OneKeyFrame>(_ body: Data, as type: Frame.Type) {
    guard let frame = AgentProtocol.decode(body, as: type) else { return }
    guard let bytes = AgentProtocol.encode(frame) else { fatalError("\(frame) cannot be written") }
    let again = AgentProtocol.decode(bytes.dropFirst(AgentProtocol.lengthByteCount), as: type)
    require(again == frame, "\(frame) became \(again.map { "\($0)" } ?? "nothing")")
}

private func frames(_ body: Data, pieceCount: Int) -> [Data] {
    var (reader, rest, frames) = (FrameReader(), body[...], [Data]())
    while !rest.isEmpty {
        guard let found = try? reader.take(rest.prefix(pieceCount)) else {
            // The frames of the wrong piece are dropped with the stream; their number depends on the pieces.
            return []
        }
        require(
            reader.pendingByteCount <= AgentProtocol.maximumFrameByteCount + AgentProtocol.lengthByteCount, "too much")
        frames += found
        rest = rest.dropFirst(pieceCount)
    }
    return frames
}
