import EarshotBasics
import EarshotChannel

/// Searches for the generators with the minimum union bound: random starts, descent, kicks.
///
/// A start is random with full rank and full single-pair weights. Descent tries every one-bit change of a generator in
/// random order and takes the first improvement. At a local minimum a kick changes one to four random bits or replaces
/// a row, and the result stays if its own descent ends no worse. After `kicksPerStart` kicks without success a new
/// start is drawn. The walk depends only on the seed; a longer run continues from the same place.
struct Search {
    struct Result {
        let code: TrellisCode
        let unionBound: Double
        /// Candidates counted until this one was found. A run with this limit ends with the same code.
        let foundAfter: Int
    }

    /// A start then takes about 8,000 candidates at ν = 10, M = 32.
    static let kicksPerStart = 40

    let memory: Int
    let toneBits: Int
    let pairwiseError: [Double]
    private(set) var candidates = 0
    private(set) var starts = 0
    private(set) var best: Result?
    private var counter: EventCounter
    private var random: SeededGenerator

    init(memory: Int, toneBits: Int, pairwiseError: [Double], seed: UInt64) {
        self.memory = memory
        self.toneBits = toneBits
        self.pairwiseError = pairwiseError
        counter = EventCounter(memory: memory, maximumWeight: pairwiseError.count - 1)
        random = SeededGenerator(seed: seed)
    }

    /// Runs until `shouldStop(candidates)` is true; it is called before every candidate.
    mutating func run(until shouldStop: (Int) -> Bool) {
        while !shouldStop(candidates) {
            starts += 1
            var rows = randomRows()
            guard var bound = measure(rows, limit: .infinity) else { continue }
            descend(&rows, &bound, until: shouldStop)
            var failures = 0
            while failures < Self.kicksPerStart, !shouldStop(candidates) {
                var kicked = rows
                kick(&kicked)
                guard var kickedBound = measure(kicked, limit: .infinity) else {
                    failures += 1
                    continue
                }
                descend(&kicked, &kickedBound, until: shouldStop)
                failures = kickedBound < bound ? 0 : failures + 1
                if kickedBound <= bound {
                    (rows, bound) = (kicked, kickedBound)
                }
            }
        }
    }

    private mutating func descend(_ rows: inout [UInt32], _ bound: inout Double, until shouldStop: (Int) -> Bool) {
        let width = memory + 2
        var order = Array(0..<toneBits * width)
        var isImproving = true
        while isImproving {
            isImproving = false
            order.shuffle(using: &random)
            for position in order {
                if shouldStop(candidates) { return }
                rows[position / width] ^= 1 << UInt32(position % width)
                if let lower = measure(rows, limit: bound), lower < bound {
                    bound = lower
                    isImproving = true
                } else {
                    rows[position / width] ^= 1 << UInt32(position % width)
                }
            }
        }
    }

    private mutating func kick(_ rows: inout [UInt32]) {
        if random.next() % 4 == 0 {
            rows[Int.random(in: rows.indices, using: &random)] = randomRow()
            return
        }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            rows[Int.random(in: rows.indices, using: &random)] ^=
                1 << UInt32.random(in: 0..<UInt32(memory + 2), using: &random)
        }
    }

    private mutating func randomRow() -> UInt32 {
        UInt32.random(in: 0..<(1 << UInt32(memory + 2)), using: &random)
    }

    private mutating func randomRows() -> [UInt32] {
        while true {
            let rows = (0..<toneBits).map { _ in randomRow() }
            let code = TrellisCode(memory: memory, generators: rows)
            if code.singlePairsHaveFullWeight, code.echelonForm.count == toneBits { return rows }
        }
    }

    /// The union bound, or nil if it exceeds `limit`, the rows are dependent or the code is catastrophic.
    private mutating func measure(_ rows: [UInt32], limit: Double) -> Double? {
        let code = TrellisCode(memory: memory, generators: rows)
        candidates += 1
        guard code.singlePairsHaveFullWeight, code.echelonForm.count == toneBits,
            let bound = counter.unionBound(of: code, pairwiseError: pairwiseError, limit: limit)
        else { return nil }
        if best.map({ bound < $0.unionBound }) ?? true {
            best = Result(code: code, unionBound: bound, foundAfter: candidates)
        }
        return bound
    }
}
