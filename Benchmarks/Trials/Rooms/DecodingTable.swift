/// The probability that a listener decodes a token, by the number of simultaneous talkers.
///
/// For `fast` tokens that begin within 0.2 s of each other, from devices anywhere in a square of 4 m, 20 dB at 1 m, as
/// `earshot-bench decoding-shares` measures them with seed 70000: 25 trials of each count with four listeners. From 13 talkers on it is extrapolated.
/// Values between measured counts are interpolated.
package struct DecodingTable: Sendable {
    /// The probability for each number of talkers, from 0 on; 0 ... 1. For more talkers it is 0.
    package let shares: [Double]

    /// A table of probabilities, 0 ... 1.
    package init(shares: [Double]) {
        precondition(shares.allSatisfy { (0...1).contains($0) }, "shares lie between 0 and 1")
        self.shares = shares
    }

    /// Free air: 4 talkers 99.2 %, 6 97.8 %, 8 93.9 %, 10 72.5 %, 12 52.2 %; 24 and more would still be about 15 %.
    package static let freeAir = DecodingTable(
        shares: [
            1, 1, 1, 0.997, 0.992, 0.99, 0.978, 0.96, 0.939, 0.84, 0.725, 0.62, 0.522, 0.44, 0.37, 0.31, 0.26, 0.23,
            0.2,
            0.17, 0.15,
        ])
    /// A box of 5 by 4 by 2.7 m with an RT60 of 0.3 s: 2 talkers 97.5 %, 3 86.7 %, 4 68.2 %, 5 47.8 %, 6 32 %, 8 18 %, 12 9.1 %.
    package static let smallRoom = DecodingTable(
        shares: [
            1, 1, 0.975, 0.867, 0.682, 0.478, 0.32, 0.24, 0.18, 0.16, 0.141, 0.115, 0.091, 0.075, 0.06, 0.05, 0.04,
        ])
    /// The same box for talkers equally loud at every listener, with an earlier receiver, up to 6
    /// talkers: 2 talkers 100 %, 3 85 %, 4 75 %, 6 7 %.
    package static let hardRoom = DecodingTable(shares: [1, 1, 1, 0.85, 0.75, 0.4, 0.07])

    /// The probability if `count` devices talk together.
    package subscript(count: Int) -> Double {
        count < shares.count ? shares[count] : 0
    }
}
