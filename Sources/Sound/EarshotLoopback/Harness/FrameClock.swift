import EarshotModem

/// The difference of the clocks from the tokens alone, if two sweeps are missing.
///
///     ppm = (b − 1)·10⁶,   b: slope of heard over sent starts, by least squares with an intercept for each profile
///
/// Each profile finds its frames with its own constant error, so only changes within a profile count.
enum FrameClock {
    /// One token: its profile, the sample at which it was sent, and the one at which it was heard.
    struct Point {
        var profileName: String
        var sent: Double
        var heard: Double

        init(profileName: String, sent: Double, heard: Double) {
            (self.profileName, self.sent, self.heard) = (profileName, sent, heard)
        }

        init(_ frame: ReceivedFrame, _ sending: LoopbackProgram.Sending) {
            profileName = frame.profileName
            sent = Double(sending.samples.lowerBound)
            heard = Double(frame.startSample)
        }
    }

    /// The difference; nil unless there are four tokens more than profiles, at different times.
    static func difference(_ points: [Point]) -> ClockDifference? {
        let groups = Dictionary(grouping: points, by: \.profileName).values
        let freedom = points.count - groups.count - 1
        guard freedom >= 3 else { return nil }
        // Deviations from each profile's means, so that large sample numbers lose no digits.
        var centred: [(sent: Double, excess: Double)] = []
        for group in groups {
            let sent = group.reduce(0) { $0 + $1.sent } / Double(group.count)
            let excess = group.reduce(0) { $0 + $1.heard - $1.sent } / Double(group.count)
            centred += group.map { ($0.sent - sent, $0.heard - $0.sent - excess) }
        }
        let spread = centred.reduce(0) { $0 + $1.sent * $1.sent }
        guard spread > 0 else { return nil }
        let slope = centred.reduce(0) { $0 + $1.sent * $1.excess } / spread
        let residual = centred.reduce(0) { sum, point in
            let rest = point.excess - slope * point.sent
            return sum + rest * rest
        }
        // Starts are whole samples, so their error is at least 1/√12, even if they agree better.
        let variance = max(residual / Double(freedom), 1.0 / 12)
        return ClockDifference(ppm: slope * 1e6, deviationPPM: (variance / spread).squareRoot() * 1e6)
    }
}
