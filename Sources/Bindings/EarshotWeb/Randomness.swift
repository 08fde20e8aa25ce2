/// Swift's hash seeds. The module has no imports, so it has no source of randomness. It needs none, because its sets
/// contain only our own numbers.
@c
public func arc4random_buf(_ buffer: UnsafeMutableRawPointer, _ count: Int) {
    for index in 0..<count {
        buffer.storeBytes(of: UInt8(truncatingIfNeeded: 0x9D &* index &+ 0x5B), toByteOffset: index, as: UInt8.self)
    }
}
