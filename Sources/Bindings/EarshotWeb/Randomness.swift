/// Swift's hash seeds. The module has no imports, so there is no randomness to ask for: sets of numbers of our own need none.
@c
public func arc4random_buf(_ buffer: UnsafeMutableRawPointer, _ count: Int) {
    for index in 0..<count {
        buffer.storeBytes(of: UInt8(truncatingIfNeeded: 0x9D &* index &+ 0x5B), toByteOffset: index, as: UInt8.self)
    }
}
