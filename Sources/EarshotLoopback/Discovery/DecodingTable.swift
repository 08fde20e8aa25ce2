/// With what probability a token is decoded that is on the air together with others.
///
/// Of `fast` tokens that begin within 0.2 s of each other, measured with the modem: 20 trials of a count each, 15 dB.
/// What lies between measured counts is put between.
public struct DecodingTable: Sendable {
    /// By how many talk at once; from 0 on. Beyond its end nothing is decoded.
    public let shares: [Double]

    /// A table.
    public init(shares: [Double]) {
        precondition(shares.allSatisfy { (0...1).contains($0) }, "shares lie between 0 and 1")
        self.shares = shares
    }

    /// Equal talkers in free air: 2 and 4 talkers 100 %, 6 97.5 %, 8 66 %; 10 and more are guessed.
    public static let freeAir = DecodingTable(shares: [1, 1, 1, 1, 1, 0.99, 0.97, 0.85, 0.66, 0.4, 0.2, 0.05])
    /// Each in its own place of a box of 5 by 4 by 2.7 m with an RT60 of 0.3 s: 2 talkers 100 %, 3 85 %, 4 75 %, 6 7 %.
    public static let smallRoom = DecodingTable(shares: [1, 1, 1, 0.85, 0.75, 0.4, 0.07])

    /// The share where `count` talk together.
    public subscript(count: Int) -> Double {
        count < shares.count ? shares[count] : 0
    }
}
