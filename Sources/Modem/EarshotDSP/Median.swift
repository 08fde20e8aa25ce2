import CEarshotKernels

/// The upper median: the element at index count/2 after sorting.
///
/// Few values are ranked by counting; for many values the range that contains the median is halved repeatedly. Cost: about
/// count²/16 comparisons up to 64 values, 4·count beyond, eight at a time. Unlike the standard library's sort it allocates
/// nothing.
/// - Parameter values: one or more, no NaN. They do not change.
public func median(_ values: inout MutableSpan<Float>) -> Float {
    select(values.count / 2, of: &values)
}

/// The maximum number of values that are ranked by counting.
private let maximumCounted = 64

/// The value at index `wanted` after sorting; see `median` for the cost.
/// - Parameters:
///   - wanted: the rank, 0 ..< values.count.
///   - values: one or more, no NaN. They do not change.
public func select(_ wanted: Int, of values: inout MutableSpan<Float>) -> Float {
    precondition(values.indices.contains(wanted), "value \(wanted) of \(values.count)")
    let count = values.count
    return values.withUnsafeBufferPointer { values in
        count <= maximumCounted
            ? earshot_select(values.baseAddress!, count, wanted)
            : earshot_select_of_many(values.baseAddress!, count, wanted)
    }
}
