import EarshotCoding
import EarshotDSP
import RealModule

/// Searches for the paths of offsets along which a frame is likeliest, while its transmitter or receiver changes its speed.
///
///     f[k] = f + Δ·(p₀ + p₁·u + p₂·u² + p₃·u³),   u = −1 ... 1 over the frame
///     Λ    = Σ_k λ[k][(f[k] − f)/Δ]
///
/// 1. A grid of p₁ and p₂, and of the offset at the sync pattern, which the candidate knows to half a spacing.
/// 2. The best of the grid climb in all four coefficients.
/// 3. `MotionChain` finds paths that no polynomial has.
/// 4. Of those that differ a few of the likeliest remain, and the code chooses: the data tones hardly show whether a path slips by a
///    spacing.
///
/// A person who walks past at 1.4 m/s and 1 m changes the offset by up to 110 Hz a second: two and a half tone spacings of a `standard`
/// frame, ten of a `far` one. `standard`, 90 % (seed 7001, 100 trials): walk −1.6 dB with a filter that followed each symbol's loudest
/// tone, below −8 dB with this search; polynomials alone 93 % at −8 dB, chains alone 61 %.
///
/// Cost: 50,000 to 200,000 additions for the grid and as many for the climb. No allocation after `init`.
struct MotionSearch: ~Copyable {
    /// The minimum score of a candidate that is worth a search: one of noise in 300 that were refined has it, and the frames that a
    /// search can still bring back lie above it.
    static let minimumScore: Float = 11
    /// The largest change of an offset, in hertz a second, and half its own change, in hertz a squared second: of a walk past.
    private static let maximumRate = 115.0
    private static let maximumCurvature = 66.0
    /// The distances of the grid, in Δ: 0.45 and 0.6 spacings at the frame's ends, and 0.38 at the sync pattern.
    private static let rateSteps: Float = 1.8
    private static let curvatureSteps: Float = 2.4
    private static let offsetSteps: Float = 1.5
    /// How many paths climb, and how many are kept.
    private static let climbingCount = 8
    private static let pathCount = 4
    private static let roundCount = 6
    /// The minimum of Λ of the grid's best path, of the best after the climb, and of a path that is decoded: noise seldom passes the
    /// first, and the decoder hardly ever decodes below the last.
    private static let minimumLogRatios: (grid: Float, climbed: Float, path: Float) = (-10, 5, 12)
    /// Paths differ if they are this far apart somewhere, and move if they leave a constant offset by this much, in Δ.
    private static let differingSteps: Float = 2
    private static let noticeableSteps: Float = 1

    /// A path of four coefficients.
    struct Path {
        var logRatio: Float
        /// p.
        var coefficients: SIMD4<Float>

        /// (f[k] − f)/Δ at u.
        func steps(_ u: Float) -> Float {
            let p = coefficients
            return p[0] + u * (p[1] + u * (p[2] + u * p[3]))
        }

        /// Whether it moves so far that a constant offset does not fit.
        var isMoving: Bool {
            var (lowest, highest) = (Float.infinity, -Float.infinity)
            for u in Path.places {
                lowest = min(lowest, steps(u))
                highest = max(highest, steps(u))
            }
            return highest - lowest > noticeableSteps
        }

        /// Whether another path is hardly different.
        func isLike(_ other: Path) -> Bool {
            Path.places.allSatisfy { abs(steps($0) - other.steps($0)) <= differingSteps }
        }

        private static let places: [Float] = [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1]
    }

    private let format: BasebandFormat
    private var table: MotionTable
    private var chain: MotionChain
    /// The number of likely chains.
    private(set) var chainCount = 0
    private var climbing: [Path] = []
    /// The paths found last, likeliest first.
    private(set) var paths: [Path] = []

    init(format: BasebandFormat, likelihood: FrameLikelihood) {
        self.format = format
        let table = MotionTable(format: format, likelihood: likelihood)
        chain = MotionChain(format: format, table: table)
        self.table = table
        climbing.reserveCapacity(MotionSearch.climbingCount + 1)
        paths.reserveCapacity(MotionSearch.pathCount)
    }

    /// The tracks found last: first those of paths that move, then those of chains.
    var trackCount: Int { paths.count + chainCount }

    /// Searches around a view's place.
    /// - Returns: the work.
    mutating func search(_ view: FrameView, _ measurer: borrowing FrameMeasurer) -> DecodingWork {
        table.measure(view, measurer)
        let symbolCount = view.layout.toneCount
        chainCount = 0
        paths.removeAll(keepingCapacity: true)
        climbing.removeAll(keepingCapacity: true)
        searchGrid(symbolCount)
        let work = DecodingWork.symbolMotion * symbolCount
        guard climbing.contains(where: { $0.logRatio >= MotionSearch.minimumLogRatios.grid }) else { return work }
        for index in climbing.indices { climbing[index] = climbed(climbing[index], symbolCount) }
        climbing.sort { $0.logRatio > $1.logRatio }
        guard climbing[0].logRatio >= MotionSearch.minimumLogRatios.climbed else { return work }
        for path in climbing where path.logRatio >= MotionSearch.minimumLogRatios.path {
            guard paths.count < MotionSearch.pathCount else { break }
            if !paths.contains(where: { $0.isLike(path) }) { paths.append(path) }
        }
        paths.removeAll { !$0.isMoving }
        chainCount = chain.find(table, symbolCount: symbolCount, minimum: MotionSearch.minimumLogRatios.path)
        return work
    }

    /// Keeps the best paths of the grid.
    private mutating func searchGrid(_ symbolCount: Int) {
        let halfSeconds = 0.5 * Double(symbolCount) * format.profile.symbolSeconds
        let maximumRate = Float(MotionSearch.maximumRate * halfSeconds) / table.stepHertz
        let maximumCurvature = Float(MotionSearch.maximumCurvature * halfSeconds * halfSeconds) / table.stepHertz
        let rateCount = Int((maximumRate / MotionSearch.rateSteps).rounded(.up))
        let curvatureCount = Int((maximumCurvature / MotionSearch.curvatureSteps).rounded(.up))
        // u of the sync pattern's middle.
        let sync = MotionSearch.place(Float(FrameLayout.syncSpanToneCount - 1) / 2, symbolCount)
        for rate in -rateCount...rateCount {
            for curvature in -curvatureCount...curvatureCount {
                let p1 = MotionSearch.rateSteps * Float(rate)
                let p2 = MotionSearch.curvatureSteps * Float(curvature)
                for offset in -1...1 {
                    let p0 = MotionSearch.offsetSteps * Float(offset) - p1 * sync - p2 * sync * sync
                    keep(SIMD4(p0, p1, p2, 0), symbolCount)
                }
            }
        }
    }

    /// Writes one of the tracks found last.
    mutating func write(track index: Int, of view: FrameView, into track: inout MotionTrack) {
        let (symbolCount, stepHertz) = (view.layout.toneCount, table.stepHertz)
        let (start, offsetHertz) = (view.place.start, view.place.offsetHertz)
        guard index >= paths.count else {
            let path = paths[index]
            return track.write(from: start, symbolCount: symbolCount) { symbol in
                offsetHertz + stepHertz * path.steps(MotionSearch.place(Float(symbol), symbolCount))
            }
        }
        chain.trace(index - paths.count, symbolCount: symbolCount)
        track.write(from: start, symbolCount: symbolCount) { offsetHertz + stepHertz * chain.steps[$0] }
    }

    /// u of a symbol.
    private static func place(_ symbol: Float, _ symbolCount: Int) -> Float {
        2 * symbol / Float(symbolCount - 1) - 1
    }

    /// Keeps a path if it is among the best.
    private mutating func keep(_ coefficients: SIMD4<Float>, _ symbolCount: Int) {
        let logRatio = table.logRatio(coefficients, symbolCount: symbolCount)
        if climbing.count == MotionSearch.climbingCount {
            var weakest = 0
            for index in climbing.indices where climbing[index].logRatio < climbing[weakest].logRatio {
                weakest = index
            }
            guard climbing[weakest].logRatio < logRatio else { return }
            climbing[weakest] = Path(logRatio: logRatio, coefficients: coefficients)
        } else {
            climbing.append(Path(logRatio: logRatio, coefficients: coefficients))
        }
    }

    /// Moves a path to where it is likeliest.
    private func climbed(_ path: Path, _ symbolCount: Int) -> Path {
        var path = path
        var steps = SIMD4<Float>(0.67, 0.8, 1, 1)
        for round in 0..<MotionSearch.roundCount {
            let before = path.logRatio
            for index in 0..<4 {
                for sign: Float in [-1, 1, -0.5, 0.5] {
                    var coefficients = path.coefficients
                    coefficients[index] += sign * steps[index]
                    let logRatio = table.logRatio(coefficients, symbolCount: symbolCount)
                    if logRatio > path.logRatio { path = Path(logRatio: logRatio, coefficients: coefficients) }
                }
            }
            if round > 0 || path.logRatio == before { steps *= 0.6 }
        }
        return path
    }
}
