/// The strength that a beacon's frames claim: one signed byte, in dBm.
///
/// iBeacon and AltBeacon claim the strength at 1 m, Eddystone at 0 m. The two differ by the loss of the first metre, 41
/// dB:
///
///     strength at 1 m = strength at 0 m - 41
///
/// Source: Eddystone protocol specification, UID frame, Tx power. Free space has 20 log10(4π d / λ) = 40 dB at d = 1 m, 2.4 GHz.
public enum CalibratedPower {
    /// The loss of the first metre, in dB.
    public static let lossOfOneMetreDecibels = 41

    /// The power of a beacon at 1 m if nothing else is known, in dBm: about that of 0 dBm at an antenna that loses 18 dB.
    public static let typicalAtOneMetreDecibelMilliwatts = -59

    /// The powers that a byte of an Eddystone frame may have, in dBm at 0 m.
    static let eddystoneRange = -100...20

    /// The power at 1 m, in dBm, that a byte claims for 0 m; nil outside the range that the specification allows.
    static func atOneMetre(eddystone byte: UInt8) -> Int? {
        let power = Int(Int8(bitPattern: byte))
        return eddystoneRange.contains(power) ? power - lossOfOneMetreDecibels : nil
    }

    /// The power at 1 m, in dBm, that a byte claims; nil if no beacon can have it: the permitted maximum, 20 dBm, is
    /// -21 dBm at 1 m.
    static func atOneMetre(_ byte: UInt8) -> Int? {
        let power = Int(Int8(bitPattern: byte))
        return power <= eddystoneRange.upperBound - lossOfOneMetreDecibels ? power : nil
    }

    /// The byte of a power at 1 m, in dBm, for a frame that claims it for 1 m. Other powers become the nearest valid
    /// one.
    static func byte(atOneMetre power: Int) -> UInt8 {
        UInt8(bitPattern: Int8(max(-128, min(power, eddystoneRange.upperBound - lossOfOneMetreDecibels))))
    }

    /// The byte of a power at 1 m, in dBm, for a frame of Eddystone.
    static func byte(eddystone power: Int) -> UInt8 {
        let range = eddystoneRange
        return UInt8(bitPattern: Int8(max(range.lowerBound, min(power + lossOfOneMetreDecibels, range.upperBound))))
    }
}
