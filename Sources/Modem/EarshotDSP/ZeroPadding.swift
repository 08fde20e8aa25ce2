/// A window of a signal, with zeros outside of the signal.
///
///     y[n] = x[first + n] for 0 ≤ first + n < x.count, else 0
///
/// - Parameters:
///   - x: the signal.
///   - first: the index in x of the window's first sample; any number.
///   - y: receives the window; every element is written.
public func copyZeroPadded(
    _ x: Span<ComplexSample>, from first: Int, into y: inout MutableSpan<ComplexSample>
) {
    let start = min(max(-first, 0), y.count)
    let end = max(min(x.count - first, y.count), start)
    for n in 0..<start {
        y[n] = ComplexSample()
    }
    for n in start..<end {
        y[n] = x[first + n]
    }
    for n in end..<y.count {
        y[n] = ComplexSample()
    }
}
