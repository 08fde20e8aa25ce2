import EarshotCoding
import RealModule

/// The likeliest path of a frame's offsets whose rate of change changes at random from symbol to symbol.
///
///     V[k][f][r] = λ[k][f] + max over q = r − 1 ... r + 1 of (V[k−1][f − r][q] − γ·|r − q|)
///
/// f and r in units of δ, a fine step; λ lies between the table's offsets on straight lines. A mean over three symbols smooths a path.
///
/// A hand that moves at random, 0.6 m/s below 1.5 Hz, `standard`, −4 dB (seed 7001, 200 trials): 91.5 % with five ends, 78 % with one.
///
/// Cost: 3·(2R + 1) additions for each f and symbol. No allocation after `init`.
struct MotionChain: ~Copyable {
    /// δ in hertz.
    private static let stepHertz: Float = 2.929_687_5
    /// The largest change of an offset, in hertz a second.
    private static let maximumRate = 330.0
    /// γ. Two hands at random (200 trials, seed 7001) with 2, 3 and 4.5: 0.3 m/s, −6 dB, 92, 88.5 and 87.5 %; 0.6 m/s, −4 dB, 91.5, 85.5
    /// and 76 %.
    private static let cost: Float = 2

    /// The number of paths that are traced.
    private static let maximumEndCount = 5

    /// R.
    private let rateReach: Int
    /// δ in Δ is 1/finer.
    private let finer: Int
    private let width: Int
    /// V; shape [2R + 1][width].
    private var scores: [Float]
    private var before: [Float]
    /// λ[k] at the fine steps.
    private var values: [Float]
    /// q − r + 1 in two bits, of four symbols in a byte; shape [a quarter of the longest frame][2R + 1][width].
    private var moves: [UInt8]
    /// The path found last, in Δ.
    private(set) var steps: [Float]
    private var smoothed: [Float]
    /// The places in `scores` at which the paths found last end, likeliest first.
    private var ends: [Int] = []
    /// The place of the largest V at each offset.
    private var places: [Int]

    init(format: BasebandFormat, table: borrowing MotionTable) {
        let perSymbol = MotionChain.maximumRate * format.profile.symbolSeconds / Double(MotionChain.stepHertz)
        rateReach = Int(perSymbol.rounded(.up))
        finer = Int((table.stepHertz / MotionChain.stepHertz).rounded())
        width = 2 * table.reach * finer + 1
        let count = (2 * rateReach + 1) * width
        scores = [Float](repeating: 0, count: count)
        before = [Float](repeating: 0, count: count)
        values = [Float](repeating: 0, count: width)
        places = [Int](repeating: 0, count: width)
        ends.reserveCapacity(width)
        moves = [UInt8](repeating: 0, count: (FrameLayout.longest.toneCount + 3) / 4 * count)
        steps = [Float](repeating: 0, count: FrameLayout.longest.toneCount)
        smoothed = [Float](repeating: 0, count: FrameLayout.longest.toneCount)
    }

    /// Finds the ends of paths: the offsets of the last symbol at which V is largest, no two of them less than a spacing apart. A path
    /// that slips by a spacing, which the data tones hardly show, ends beside the true one.
    /// - Returns: the number of ends; then `trace` gives the paths, likeliest first.
    mutating func find(_ table: borrowing MotionTable, symbolCount: Int, minimum: Float) -> Int {
        begin(table)
        for symbol in 1..<symbolCount { advance(table, symbol) }
        ends.removeAll(keepingCapacity: true)
        let reach = finer * MotionTable.stepsPerSpacing / 2
        for step in 0..<width {
            var best = step
            for index in stride(from: step, to: scores.count, by: width) where scores[index] > scores[best] {
                best = index
            }
            values[step] = scores[best]
            places[step] = best
        }
        for step in 0..<width where values[step] >= minimum {
            let (low, high) = (max(0, step - reach), min(width - 1, step + reach))
            guard (low...high).allSatisfy({ values[$0] < values[step] || $0 == step }) else { continue }
            ends.append(places[step])
        }
        ends.sort { scores[$0] > scores[$1] }
        return min(ends.count, MotionChain.maximumEndCount)
    }

    /// Writes the path that leads to an end to `steps`.
    mutating func trace(_ end: Int, symbolCount: Int) {
        var (rate, step) = ends[end].quotientAndRemainder(dividingBy: width)
        for symbol in stride(from: symbolCount - 1, through: 0, by: -1) {
            steps[symbol] = Float(step - width / 2) / Float(finer)
            guard symbol > 0 else { break }
            let place = (symbol / 4 * (2 * rateReach + 1) + rate) * width + step
            let move = Int(moves[place] >> UInt8(2 * (symbol % 4)) & 3) - 1
            step -= rate - rateReach
            rate += move
        }
        smooth(symbolCount)
    }

    private mutating func interpolate(_ table: borrowing MotionTable, _ symbol: Int) {
        let first = symbol * table.width
        for step in 0..<width {
            let (whole, part) = step.quotientAndRemainder(dividingBy: finer)
            let low = table.values[first + whole]
            values[step] = low
            if part > 0 { values[step] += (table.values[first + whole + 1] - low) * Float(part) / Float(finer) }
        }
    }

    private mutating func begin(_ table: borrowing MotionTable) {
        interpolate(table, 0)
        for rate in 0...2 * rateReach {
            for step in 0..<width { scores[rate * width + step] = values[step] }
        }
    }

    private mutating func advance(_ table: borrowing MotionTable, _ symbol: Int) {
        swap(&scores, &before)
        interpolate(table, symbol)
        let rateCount = 2 * rateReach + 1
        for rate in 0..<rateCount {
            let change = rate - rateReach
            let row = rate * width
            let back = (symbol / 4 * rateCount + rate) * width
            let (below, above) = (rate > 0 ? row - width : row, rate < rateCount - 1 ? row + width : row)
            for step in 0..<width {
                let source = step - change
                guard source >= 0, source < width else {
                    scores[row + step] = -1e6
                    store(1, at: back + step, symbol)
                    continue
                }
                var (best, move) = (before[row + source], UInt8(1))
                let (lower, higher) = (
                    before[below + source] - MotionChain.cost, before[above + source] - MotionChain.cost
                )
                if lower > best { (best, move) = (lower, 0) }
                if higher > best { (best, move) = (higher, 2) }
                scores[row + step] = best + values[step]
                store(move, at: back + step, symbol)
            }
        }
    }

    private mutating func store(_ move: UInt8, at place: Int, _ symbol: Int) {
        let shift = UInt8(2 * (symbol % 4))
        moves[place] = moves[place] & ~(3 << shift) | move << shift
    }

    private mutating func smooth(_ symbolCount: Int) {
        for symbol in 0..<symbolCount {
            let (left, right) = (max(symbol - 1, 0), min(symbol + 1, symbolCount - 1))
            smoothed[symbol] = (steps[left] + steps[symbol] + steps[right]) / 3
        }
        swap(&steps, &smoothed)
    }
}
