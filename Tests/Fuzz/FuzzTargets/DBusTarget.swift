import CSystemd
import Glibc

@testable import EarshotDBus

/// A value of any types survives its way through a message.
func fuzzDBus(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let value = value(&input, depth: 0)
    guard let message = newMessage() else { fatalError("no message") }
    defer { sd_bus_message_unref(message) }
    // D-Bus cannot send a text with a zero byte or an invalid path.
    do throws(DBusError) { try value.append(to: message) } catch { return }
    guard sd_bus_message_seal(message, 1, 0) >= 0, sd_bus_message_rewind(message, 1) >= 0 else { return }
    var reader = DBusReader(message)
    do throws(DBusError) {
        let values = try reader.values()
        // NaN differs from itself.
        if !"\(value)".contains("nan") { require(values == [value], "\(value) became \(values)") }
        _ = (value.boolean, value.text, value.integer, value.bytes, value.elements, value.named)
    } catch {
        require(depth(value) >= DBusReader.maximumDepth, "\(value) cannot be read: \(error)")
    }
}

/// A message of a connection that leads nowhere.
private func newMessage() -> OpaquePointer? {
    var ends: [CInt] = [0, 0]
    var bus: OpaquePointer?
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0, &ends) == 0,
        sd_bus_new(&bus) >= 0
    else { return nil }
    defer {
        sd_bus_close_unref(bus)
        close(ends[1])
    }
    guard sd_bus_set_fd(bus, ends[0], ends[0]) >= 0, sd_bus_start(bus) >= 0 else { return nil }
    var message: OpaquePointer?
    return sd_bus_message_new_signal(bus, &message, "/a", "a.b", "C") >= 0 ? message : nil
}

private func depth(_ value: DBusValue) -> Int {
    switch value {
    case .array(_, let elements): 1 + (elements.map(depth).max() ?? 0)
    case .structure(let fields): 1 + (fields.map(depth).max() ?? 0)
    case .dictionary(_, _, let entries): 1 + (entries.map { max(depth($0.key), depth($0.value)) }.max() ?? 0)
    case .variant(let inner): 1 + depth(inner)
    default: 0
    }
}

/// A value copies its parts only near the root: five copies at each of twenty depths would be 10¹⁴ values.
private func value(_ input: inout FuzzInput, depth: Int) -> DBusValue {
    let maximumCopyCount = depth < 3 ? 4 : 1
    func word() -> UInt64 { input.bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }
    switch input.below(depth < 20 ? 17 : 12) {
    case 0: return .boolean(input.byte() & 1 == 1)
    case 1: return .byte(input.byte())
    case 2: return .int16(Int16(truncatingIfNeeded: word()))
    case 3: return .uint16(UInt16(truncatingIfNeeded: word()))
    case 4: return .int32(Int32(truncatingIfNeeded: word()))
    case 5: return .uint32(UInt32(truncatingIfNeeded: word()))
    case 6: return .int64(Int64(bitPattern: word()))
    case 7: return .uint64(word())
    case 8: return .double(Double(bitPattern: word()))
    case 9: return .string(input.text())
    case 10: return .path("/" + input.text())
    case 11: return .signature("a{sv}")
    case 12: return .bytes(input.bytes(Int(input.byte())))
    case 13:
        let first = value(&input, depth: depth + 1)
        // The reader gives an array of bytes as `bytes`, so this makes none.
        guard first.signature != "y", !first.signature.hasPrefix("{") else { return first }
        return .array(of: first.signature, [DBusValue](repeating: first, count: input.below(maximumCopyCount + 1)))
    case 14:
        var entries: [DBusValue: DBusValue] = [:]
        let sample = value(&input, depth: depth + 1)
        for number in 0..<input.below(maximumCopyCount + 1) { entries[.string("\(number)")] = sample }
        return .dictionary(key: "s", value: sample.signature, entries)
    case 15:
        let fields = (0...input.below(4)).map { _ in value(&input, depth: depth + 1) }
        return .structure(fields)
    default: return .variant(value(&input, depth: depth + 1))
    }
}
