/// A list of fixed length for stages that own buffers and must not be copied.
struct OwnedList<Element: ~Copyable>: ~Copyable {
    private let elements: UnsafeMutableBufferPointer<Element>

    /// A list of `count` elements.
    /// - Parameter make: makes the element of an index.
    init(count: Int, _ make: (Int) -> Element) {
        elements = .allocate(capacity: count)
        for index in 0..<count { elements.initializeElement(at: index, to: make(index)) }
    }

    deinit {
        elements.deinitialize()
        elements.deallocate()
    }

    var count: Int { elements.count }
    var indices: Range<Int> { 0..<elements.count }

    subscript(index: Int) -> Element {
        _read { yield elements[index] }
        _modify { yield &elements[index] }
    }
}
