import CEarshotKernels

/// The upper median of the values: by counting, or by halving the range it must lie in where there are many.
///
/// The element that would stand at index count/2 after sorting. Not empty, no NaN. Cost: about count²/16 comparisons, or
/// 4·count where there are many, eight at a time; no allocation, unlike the standard library's sort.
public func median(_ values: inout MutableSpan<Float>) -> Float {
    select(values.count / 2, of: &values)
}

/// Up to so many values are counted.
private let largestCounted = 64

/// The value that would stand at index `wanted` after sorting; see `median`.
public func select(_ wanted: Int, of values: inout MutableSpan<Float>) -> Float {
    precondition(values.indices.contains(wanted), "value \(wanted) of \(values.count)")
    let count = values.count
    return values.withUnsafeBufferPointer { values in
        count <= largestCounted
            ? earshot_select(values.baseAddress!, count, wanted)
            : earshot_select_of_many(values.baseAddress!, count, wanted)
    }
}
