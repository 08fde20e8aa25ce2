@testable import EarshotMessages

/// The parser finds the same events in any pieces, and stores no more than one event.
func fuzzEvents(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let content = bytes.dropFirst()
    let whole = items(content, pieceCount: content.count)
    let pieces = items(content, pieceCount: 1 + Int(first))
    require(whole == pieces, "\(whole) at once, \(pieces) in pieces")
}

private func items(_ bytes: ArraySlice<UInt8>, pieceCount: Int) -> [EventStreamParser.Item] {
    var (parser, rest, items) = (EventStreamParser(), bytes, [EventStreamParser.Item]())
    while !rest.isEmpty {
        guard let found = try? parser.take(rest.prefix(pieceCount)) else {
            require(bytes.count > EventStreamParser.maximumEventCount, "an event that is too large")
            return items
        }
        items += found
        rest = rest.dropFirst(pieceCount)
    }
    return items
}
