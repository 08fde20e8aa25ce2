import EarshotDSP

/// The noise in a profile's band. The search updates it; search, refinement and detection divide energies by it.
///
/// The bins are half a tone spacing wide, from the maximum offset below the lowest tone to the same offset above the highest:
/// tone m at an offset of f half spacings is bin 2·m + f + maximum offset. No allocation after `init`.
struct BandNoise: ~Copyable {
    /// A tone whose noise is less than this factor above the common noise gets the common one: a frame's medians vary
    /// by 20 %.
    static let standingOut: Float = 1.7

    private let toneCount: Int
    private let toneSpacingHertz: Float
    /// The maximum offset, in half spacings.
    private let reach: Int
    private var floor: NoiseFloor
    private var scratch: [Float]

    init(format: BasebandFormat) {
        toneCount = format.profile.toneCount
        toneSpacingHertz = Float(format.profile.toneSpacingHertz)
        reach = format.maximumOffsetHalfSpacings
        floor = NoiseFloor(binCount: BandNoise.binCount(format))
        scratch = [Float](repeating: 0, count: toneCount)
    }

    /// The number of bins in a profile's band.
    static func binCount(_ format: BasebandFormat) -> Int {
        2 * (format.profile.toneCount - 1 + format.maximumOffsetHalfSpacings) + 1
    }

    /// 1/noise power in each bin, as of the latest block; 0 before the first.
    var inverseFloor: [Float] { floor.inverseFloor }

    /// Whether the noise of single bins is settled; see `NoiseFloor.isSettled`.
    var isSettled: Bool { floor.isSettled }

    /// log2 of the floor's level; see `NoiseFloor.level`.
    var level: Float { floor.level }

    /// The levels of the latest block's rows, as far as they differ from that of the floor; see
    /// `NoiseFloor.rowDeviations`.
    var rowDeviations: [Float]? { floor.rowDeviations }

    /// Adds a block of energies; see `NoiseFloor.update(block:heldShares:)`.
    mutating func update(block energies: [Float], heldShares: [Float] = []) {
        floor.update(block: energies, heldShares: heldShares)
    }

    /// Restarts the average with the next block, because the history has changed.
    mutating func forget() {
        floor.forget()
    }

    /// 1/noise power of tone `tone` at the bin nearest to an offset.
    func inverse(tone: Int, offsetHertz: Float) -> Float {
        floor.inverseFloor[2 * tone + firstBin(offsetHertz: offsetHertz)]
    }

    /// Writes 1/noise power of each tone at an offset: the median of all tones, or a tone's own noise if that stands
    /// out.
    /// - Parameter inverses: receives them; shape [M or more].
    mutating func writeInverses(offsetHertz: Float, into inverses: inout [Float]) {
        let (first, floor) = (firstBin(offsetHertz: offsetHertz), floor.inverseFloor)
        for tone in 0..<toneCount {
            inverses[tone] = floor[first + 2 * tone]
            scratch[tone] = inverses[tone]
        }
        var values = scratch.mutableSpan
        let common = median(&values)
        for tone in 0..<toneCount where inverses[tone] * BandNoise.standingOut > common {
            inverses[tone] = common
        }
    }

    /// The bin of tone 0 at an offset, which is limited to the maximum.
    private func firstBin(offsetHertz: Float) -> Int {
        let halfSpacings = Int((2 * offsetHertz / toneSpacingHertz).rounded())
        return min(max(halfSpacings, -reach), reach) + reach
    }
}
