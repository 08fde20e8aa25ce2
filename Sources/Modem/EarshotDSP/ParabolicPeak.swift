/// The place of the maximum of the parabola through three points at −1, 0 and 1.
///
///     d = ½·(a − c) / (a − 2·b + c)
///
/// If the middle value is not below its neighbours, d is within −½ ... ½. If the points do not curve downwards, there
/// is no maximum, and d is 0.
/// - Parameters:
///   - a: the value at −1.
///   - b: the value at 0.
///   - c: the value at 1.
/// - Returns: d, in steps from the middle point.
@inlinable @inline(__always)
public func parabolicPeak<Value: BinaryFloatingPoint>(_ a: Value, _ b: Value, _ c: Value) -> Value {
    let curvature = a - 2 * b + c
    return curvature < 0 ? 0.5 * (a - c) / curvature : 0
}
