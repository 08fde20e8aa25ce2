/// The probability that a listener decodes a token, by the number of simultaneous talkers.
///
/// For `fast` tokens that begin within 0.2 s of each other, from devices anywhere in a square of 4 m, 20 dB at 1 m, as
/// `earshot-bench decoding-shares` measures them: 25 trials of each count with four listeners, six trials from 16 talkers on.
/// Values between measured counts are interpolated.
package struct DecodingTable: Sendable {
    /// The probability for each number of talkers, from 0 on; 0 ... 1. For more talkers it is 0.
    package let shares: [Double]

    /// A table of probabilities, 0 ... 1.
    package init(shares: [Double]) {
        precondition(shares.allSatisfy { (0...1).contains($0) }, "shares lie between 0 and 1")
        self.shares = shares
    }

    /// Free air: 4 talkers 98.2 %, 6 94.8 %, 8 78.9 %, 10 56.2 %, 12 37.3 %, 16 22.4 %; 24 and more would still be 11 %.
    package static let freeAir = DecodingTable(
        shares: [1, 1, 1, 0.99, 0.98, 0.98, 0.95, 0.89, 0.79, 0.67, 0.56, 0.46, 0.37, 0.3, 0.24, 0.19, 0.15])
    /// A box of 5 by 4 by 2.7 m with an RT60 of 0.3 s: 2 talkers 96.5 %, 3 85.7 %, 4 59.5 %, 5 44.4 %, 6 28 %, 8 17.5 %, 12 8 %.
    package static let smallRoom = DecodingTable(
        shares: [1, 1, 0.96, 0.86, 0.6, 0.44, 0.28, 0.22, 0.175, 0.14, 0.11, 0.09, 0.07, 0.05, 0.03])
    /// The same box for talkers equally loud at every listener, with an earlier receiver, and 6 the end: 2 talkers 100 %, 3 85 %, 4 75 %, 6 7 %.
    package static let hardRoom = DecodingTable(shares: [1, 1, 1, 0.85, 0.75, 0.4, 0.07])

    /// The probability if `count` devices talk together.
    package subscript(count: Int) -> Double {
        count < shares.count ? shares[count] : 0
    }
}
