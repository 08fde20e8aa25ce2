import CEarshotKernels

/// The upper median of the values, which are left in another order: by counting, or Hoare's selection where there are many.
///
/// The element that would stand at index count/2 after sorting. Not empty, no NaN. Cost: about 3·count comparisons on
/// the average, or count²/16 by eight at a time; no allocation, unlike the standard library's sort.
public func median(_ values: inout MutableSpan<Float>) -> Float {
    select(values.count / 2, of: &values)
}

/// Up to so many values are counted: selection is as fast from about three times as many on.
private let largestCounted = 96

/// The value that would stand at index `wanted` after sorting; see `median`.
public func select(_ wanted: Int, of values: inout MutableSpan<Float>) -> Float {
    precondition(values.indices.contains(wanted), "value \(wanted) of \(values.count)")
    if values.count <= largestCounted {
        let count = values.count
        return values.withUnsafeBufferPointer { earshot_select($0.baseAddress!, count, wanted) }
    }
    var low = 0
    var high = values.count - 1
    while low < high {
        let pivot = values[(low + high) / 2]
        var left = low
        var right = high
        while left <= right {
            while values[left] < pivot { left += 1 }
            while values[right] > pivot { right -= 1 }
            if left <= right {
                values.swapAt(left, right)
                left += 1
                right -= 1
            }
        }
        if wanted <= right {
            high = right
        } else if wanted >= left {
            low = left
        } else {
            break
        }
    }
    return values[wanted]
}
