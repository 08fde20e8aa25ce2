/// The order of a frame's data tones on the air: step j of the trellis code is sent at place
///
///     place[j] = a·j mod n          n data tones; a: the number nearest to n·(3 − √5)/2 that has no divisor in common with n
///
/// (3 − √5)/2 is the golden ratio's smaller part, 0.382. So the steps whose tones are neighbours on the air are far
/// apart in the code, and consecutive losses spread evenly. If up to a quarter of the places in a row is lost, no six
/// consecutive steps (the code's memory) lose more than three; if half is lost, no more than four. In the code's own
/// order such a hole takes all six.
public struct ToneInterleaver: Sendable {
    /// n.
    private let stepCount: Int
    /// a.
    public let stride: Int

    /// The order of a frame with `stepCount` data tones: 4·(payload's bytes) + 12. Cost: a few divisions.
    public init(stepCount: Int) {
        let golden = 0.381_966_011_250_105_1 * Double(stepCount)
        // From `golden` outwards, alternately below and above. 1 has no common divisor, so the search ends.
        var (below, above) = (Int(golden), Int(golden) + 1)
        while true {
            let isBelowNearer = golden - Double(below) < Double(above) - golden
            let nearest = isBelowNearer ? below : above
            if ToneInterleaver.haveNoCommonDivisor(nearest, stepCount) {
                (self.stepCount, stride) = (stepCount, nearest)
                return
            }
            if isBelowNearer { below -= 1 } else { above += 1 }
        }
    }

    /// The place of the step's tone among the data tones on the air, in `0 ..< stepCount`.
    public func place(ofStep step: Int) -> Int { stride * step % stepCount }

    private static func haveNoCommonDivisor(_ a: Int, _ b: Int) -> Bool {
        var (larger, smaller) = (b, a)
        while smaller > 0 { (larger, smaller) = (smaller, larger % smaller) }
        return larger == 1
    }
}
