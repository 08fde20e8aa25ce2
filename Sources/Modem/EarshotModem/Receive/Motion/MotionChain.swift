import EarshotCoding
import EarshotDSP
import RealModule

/// The offsets of a frame whose rate of change changes at random from symbol to symbol, seen from both sides of each symbol.
///
///     A[k][f][r] = λ[k][f] + max over q = r − 1 ... r + 1 of (A[k−1][f − r][q] − γ·|r − q|)
///     B[k][f][r] = max over q = r − 1 ... r + 1 of (B[k+1][f + q][q] + λ[k+1][f + q] − γ·|r − q|)
///     w[k][f]    ∝ exp(τ·max over r of (A[k][f][r] + B[k][f][r] − λ[k][f]))
///
/// f and r are in units of δ, a fine step; between the table's offsets, λ is interpolated linearly. w is what all other symbols say of a
/// symbol's offset. Data tones hardly show that a path has slipped by a spacing; if no symbol shows it, both paths keep their weight.
///
/// One chain serves all profiles, one frame at a time. Cost: 9·(2R + 1) additions for each f and symbol. No allocation after `init`.
struct MotionChain: ~Copyable {
    /// δ in hertz.
    private static let stepHertz: Float = 2.929_687_5
    /// The largest change of an offset, in hertz a second.
    private static let maximumRate = 330.0
    /// γ of a symbol of 21.3 ms. A step of the rate is δ a symbol, so a longer symbol meets more of them, each smaller: γ·T is constant.
    private static let cost = 1.0
    private static let costSeconds = 0.021_333
    /// τ: the maxima replace sums over many paths, and so overstate what is known.
    private static let temper: Float = 0.5

    /// A is stored for all symbols of one segment, and for the first symbol of each. The way back computes a segment again from its first
    /// symbol.
    private static let segmentSymbolCount = 12

    /// R.
    private var rateReach = 0
    private var rateCount = 0
    /// δ in Δ is 1/finer.
    private var finer = 1
    private var width = 0
    /// γ.
    private var changeCost: Float = 0
    /// A in the symbols of a segment; shape [segmentSymbolCount][2R + 1][width].
    private var forward: [Float]
    /// A in the first symbol of each segment; shape [segments][2R + 1][width].
    private var firsts: [Float]
    /// B of a symbol, and of the one after it; shape [2R + 1][width].
    private var backward: [Float]
    private var after: [Float]
    /// λ[k] at the fine steps.
    private var values: [Float]
    /// What all other symbols say of a symbol's offset; shape [width].
    private var others: [Float]
    /// w of a symbol at the table's offsets; shape [table.width].
    private var weights: [Float]
    /// The path traced last, in Δ.
    private(set) var steps: [Float]
    private var smoothed: [Float]

    /// A chain that has room for any frame of these profiles.
    init(profiles: [Profile]) {
        let longest = FrameLayout.longest.toneCount
        let formats = profiles.map { BasebandFormat(profile: $0) }
        let width = formats.map { MotionChain.width($0) }.max() ?? 0
        let count = formats.map { (2 * MotionChain.rateReach($0) + 1) * MotionChain.width($0) }.max() ?? 0
        let segmentCount = (longest + MotionChain.segmentSymbolCount - 1) / MotionChain.segmentSymbolCount
        forward = [Float](repeating: 0, count: MotionChain.segmentSymbolCount * count)
        firsts = [Float](repeating: 0, count: segmentCount * count)
        backward = [Float](repeating: 0, count: count)
        after = [Float](repeating: 0, count: count)
        values = [Float](repeating: 0, count: width)
        others = [Float](repeating: 0, count: width)
        weights = [Float](repeating: 0, count: 2 * (formats.map(MotionTable.reach).max() ?? 0) + 1)
        steps = [Float](repeating: 0, count: longest)
        smoothed = [Float](repeating: 0, count: longest)
    }

    private static func rateReach(_ format: BasebandFormat) -> Int {
        Int((maximumRate * format.profile.symbolSeconds / Double(stepHertz)).rounded(.up))
    }

    private static func finer(_ format: BasebandFormat) -> Int {
        Int((MotionTable.stepHertz(format) / stepHertz).rounded())
    }

    private static func width(_ format: BasebandFormat) -> Int { 2 * MotionTable.reach(format) * finer(format) + 1 }

    /// Runs forward along the chain of a frame of this format.
    /// - Returns: the largest A of the last symbol: Λ of the likeliest path, less what its changes cost.
    mutating func runForward(_ table: borrowing MotionTable, _ format: BasebandFormat, symbolCount: Int) -> Float {
        rateReach = MotionChain.rateReach(format)
        rateCount = 2 * rateReach + 1
        finer = MotionChain.finer(format)
        width = MotionChain.width(format)
        changeCost = Float(MotionChain.cost * MotionChain.costSeconds / format.profile.symbolSeconds)
        interpolate(table, 0)
        for rate in 0..<rateCount {
            for step in 0..<width { forward[rate * width + step] = values[step] }
        }
        for symbol in 0..<symbolCount {
            if symbol > 0 { advance(table, symbol) }
            if symbol % MotionChain.segmentSymbolCount == 0 {
                let first = symbol / MotionChain.segmentSymbolCount * rateCount * width
                for index in 0..<rateCount * width { firsts[first + index] = forward[index] }
            }
        }
        let last = place(symbolCount - 1)
        var best = -Float.infinity
        for index in last..<last + rateCount * width { best = max(best, forward[index]) }
        return best
    }

    /// Runs back along the chain, after `runForward`.
    /// - Parameter onWeights: receives each symbol and its w at the table's offsets, the last symbol first. An offset of the table has the
    ///   weight of the likeliest fine step next to it.
    mutating func runBackward(
        _ table: borrowing MotionTable, symbolCount: Int, _ onWeights: (_ symbol: Int, _ weights: [Float]) -> Void
    ) {
        for index in backward.indices { backward[index] = 0 }
        for symbol in stride(from: symbolCount - 1, through: 0, by: -1) {
            remake(table, before: symbol, symbolCount)
            interpolate(table, symbol)
            let first = place(symbol)
            for step in 0..<width {
                var best = -Float.infinity
                for index in stride(from: step, to: rateCount * width, by: width) {
                    best = max(best, forward[first + index] + backward[index])
                }
                others[step] = best - values[step]
            }
            weigh(table.width)
            onWeights(symbol, weights)
            if symbol > 0 { goBack() }
        }
    }

    /// Computes w from `others`.
    private mutating func weigh(_ count: Int) {
        var best = -Float.infinity
        for step in 0..<width { best = max(best, others[step]) }
        var sum: Float = 0
        for index in 0..<count {
            let near = max(0, index * finer - finer / 2)...min(width - 1, index * finer + finer / 2)
            var nearest = -Float.infinity
            for step in near { nearest = max(nearest, others[step]) }
            weights[index] = .exp(MotionChain.temper * (nearest - best))
            sum += weights[index]
        }
        for index in 0..<count { weights[index] /= sum }
    }

    /// Writes the likeliest path to `steps`, after `runForward`. A mean over three symbols smooths it.
    mutating func trace(_ table: borrowing MotionTable, symbolCount: Int) {
        let last = place(symbolCount - 1)
        var best = last
        for index in last..<last + rateCount * width where forward[index] > forward[best] { best = index }
        var (rate, step) = (best - last).quotientAndRemainder(dividingBy: width)
        for symbol in stride(from: symbolCount - 1, through: 0, by: -1) {
            steps[symbol] = Float(step - width / 2) / Float(finer)
            guard symbol > 0 else { break }
            remake(table, before: symbol - 1, symbolCount)
            let first = place(symbol - 1)
            step -= rate - rateReach
            rate =
                nearRates(rate).max { value(first, $0, step, from: rate) < value(first, $1, step, from: rate) } ?? rate
        }
        for symbol in 0..<symbolCount {
            let (left, right) = (max(symbol - 1, 0), min(symbol + 1, symbolCount - 1))
            smoothed[symbol] = (steps[left] + steps[symbol] + steps[right]) / 3
        }
        swap(&steps, &smoothed)
    }

    /// Where A of a symbol is in `forward`, while its segment is there.
    private func place(_ symbol: Int) -> Int { symbol % MotionChain.segmentSymbolCount * rateCount * width }

    /// Computes A of the segment that ends with this symbol again, if one does and it is not the last one.
    private mutating func remake(_ table: borrowing MotionTable, before symbol: Int, _ symbolCount: Int) {
        let count = MotionChain.segmentSymbolCount
        guard symbol % count == count - 1, symbol < symbolCount - 1 else { return }
        let segment = symbol / count
        for index in 0..<rateCount * width { forward[index] = firsts[segment * rateCount * width + index] }
        for symbol in segment * count + 1...symbol { advance(table, symbol) }
    }

    private func nearRates(_ rate: Int) -> ClosedRange<Int> { max(rate - 1, 0)...min(rate + 1, rateCount - 1) }

    /// A[k][step][rate] less what the change to another rate costs.
    private func value(_ first: Int, _ rate: Int, _ step: Int, from other: Int) -> Float {
        forward[first + rate * width + step] - (rate == other ? 0 : changeCost)
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

    /// A of a symbol from that of the one before it.
    private mutating func advance(_ table: borrowing MotionTable, _ symbol: Int) {
        interpolate(table, symbol)
        let (width, cost, rateCount, rateReach, values) = (width, changeCost, rateCount, rateReach, values)
        let (own, earlier) = (place(symbol), place(symbol - 1))
        var cells = forward.mutableSpan
        for rate in 0..<rateCount {
            let change = rate - rateReach
            let row = own + rate * width
            let same = earlier + rate * width - change
            let (below, above) = (rate > 0 ? same - width : same, rate < rateCount - 1 ? same + width : same)
            let held = max(0, change)..<min(width, width + change)
            for step in 0..<held.lowerBound { cells[row + step] = MotionChain.impossible }
            for step in held {
                let changed = max(cells[below + step], cells[above + step]) - cost
                cells[row + step] = max(cells[same + step], changed) + values[step]
            }
            for step in held.upperBound..<width { cells[row + step] = MotionChain.impossible }
        }
    }

    /// B of the symbol before, from that of a symbol, whose λ `values` are.
    private mutating func goBack() {
        swap(&backward, &after)
        // What follows if this symbol has rate q: B + λ at f + q.
        for rate in 0..<rateCount {
            for step in 0..<width { after[rate * width + step] += values[step] }
        }
        for rate in 0..<rateCount {
            for step in 0..<width {
                var best = MotionChain.impossible
                for next in nearRates(rate) {
                    let place = step + next - rateReach
                    guard place >= 0, place < width else { continue }
                    best = max(best, after[next * width + place] - (next == rate ? 0 : changeCost))
                }
                backward[rate * width + step] = best
            }
        }
    }

    /// The value of a path that leaves the table.
    private static let impossible: Float = -1e6
}
