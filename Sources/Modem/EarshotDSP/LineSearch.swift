/// The place of a function's maximum along a line: the best of five places, refined by a parabola.
///
///     k = argmax f(i),   i = −2 ... 2
///     s = k + parabolicPeak(f(k − 1), f(k), f(k + 1)) for |k| < 2, k at the ends
///
/// Of equal values the middle wins, then the one evaluated first; f is evaluated from −2 upwards. Cost: four calls of
/// f.
/// - Parameters:
///   - middle: f(0), which the caller knows.
///   - f: the function, of the steps from the middle.
/// - Returns: s, −2 ... 2 steps from the middle. f(s) is usually the maximum, but nothing guarantees that.
@inlinable @inline(__always)
public func lineSearch(middle: Float, _ f: (Float) -> Float) -> Float {
    var values = InlineArray<5, Float>(repeating: middle)
    var best = 2
    for index in 0..<5 where index != 2 {
        values[index] = f(Float(index - 2))
        if values[index] > values[best] {
            best = index
        }
    }
    let k = Float(best - 2)
    guard best > 0 && best < 4 else { return k }
    return k + parabolicPeak(values[best - 1], values[best], values[best + 1])
}
