/// Parses server-sent events from pieces of any size.
///
///     id: 17                 lines end with LF, CR or both
///     event: found           a line is "name: value", or ": comment"
///     data: {…}              an empty line ends the event
///
/// Source: the WHATWG HTML standard, section 9.2. The parser ignores `retry`: the client chooses its pauses itself.
struct EventStreamParser: Sendable {
    /// An event, or a comment, which only shows that the connection works.
    enum Item: Sendable, Hashable {
        case event(name: String, data: String, id: String?)
        case comment
    }

    /// The event has more bytes than any event can have.
    struct TooLarge: Error {}

    /// The maximum size of an event. A message of 100 KiB in base64 has 136,536 bytes.
    static let maximumEventCount = 262_144

    private var line: [UInt8] = []
    private var isAfterCarriageReturn = false
    private var isAtStart = true
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    /// The latest id, which also applies to the events that follow.
    private var id: String?

    /// Takes the next piece.
    /// - Throws: `TooLarge` if an event exceeds the maximum. The rest of the stream cannot be parsed then.
    mutating func take(_ bytes: some Collection<UInt8>) throws(TooLarge) -> [Item] {
        var items: [Item] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n") where isAfterCarriageReturn: isAfterCarriageReturn = false
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                isAfterCarriageReturn = byte == UInt8(ascii: "\r")
                endLine(&items)
            default:
                isAfterCarriageReturn = false
                guard line.count + data.count < Self.maximumEventCount else { throw TooLarge() }
                line.append(byte)
            }
        }
        return items
    }

    private mutating func endLine(_ items: inout [Item]) {
        defer { line.removeAll(keepingCapacity: true) }
        if isAtStart {
            isAtStart = false
            // The byte order mark.
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard let first = line.first else {
            if hasData {
                items.append(.event(name: name, data: String(decoding: data, as: UTF8.self), id: id))
            }
            name = ""
            data = []
            hasData = false
            return
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        if first == UInt8(ascii: ":") {
            items.append(.comment)
            return
        }
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: line[..<(colon ?? line.endIndex)], as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            data.append(contentsOf: value)
            hasData = true
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        default: break
        }
    }
}
