import Glibc

/// The distance of a beacon by its strength, with its uncertainty.
///
///     d = 10^((P1m - RSSI) / (10 n))     log-distance path loss: P1m and RSSI in dBm, d in metres
///
/// The exponent n is 2 in free space and up to 4 behind walls; people and reflections change the strength by some dB
/// more (shadowing, about normal in dB). The estimate takes n = 2.7 and no shadowing. The interval covers the extremes
/// of
///
///     n from 2 to 4,  shadowing s from -10 to +10 dB:  d = 10^((P1m - RSSI + s) / (10 n))
///
/// 10 dB are 1.65 standard deviations of 6 dB, so the interval contains 90 of 100 distances if the beacon's claim is
/// right. A strength 16 dB below P1m is 3.9 m, with an interval of 1.4 to 20 m: the strength tells near from far, and
/// no more.
///
/// Sources: Rappaport, Wireless Communications, 2nd edition, section 4.9 and table 4.6 (exponents, deviations of 3 to 14 dB in
/// buildings).
public struct BeaconDistance: Sendable, Hashable {
    /// The estimate, in metres.
    public let metres: Double
    /// The interval that contains the true distance 9 times of 10, in metres.
    public let interval: ClosedRange<Double>

    private static let exponent = 2.7
    private static let exponents = [2.0, 4.0]
    private static let shadowingDecibels = 10.0

    /// The distance of a beacon with a strength of `rssi`, whose strength at 1 m is `strength`; both in dBm.
    public init(rssiDecibelMilliwatts rssi: Double, strengthAtOneMetreDecibelMilliwatts strength: Int) {
        let loss = Double(strength) - rssi
        func distance(_ loss: Double, _ exponent: Double) -> Double { pow(10, loss / (10 * exponent)) }
        metres = distance(loss, Self.exponent)
        let bounds = [-Self.shadowingDecibels, Self.shadowingDecibels].flatMap { shadowing in
            Self.exponents.map { distance(loss + shadowing, $0) }
        }
        interval = (bounds.min() ?? metres)...(bounds.max() ?? metres)
    }
}
