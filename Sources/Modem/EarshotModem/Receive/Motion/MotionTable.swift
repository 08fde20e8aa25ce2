import EarshotCoding
import EarshotDSP
import RealModule

/// Λ of each symbol of a frame at each offset near a candidate's, and of each tone there.
///
///     x[k][j][m] = E/N at s[k] of a track, tone m, offset f + j·Δ,   Δ = a quarter of a tone spacing,   j = −J ... J
///     λ[k][j]    = ln φ(x[k][j][syncTone]) of a sync symbol,   ln(1/M·Σₘ φ(x[k][j][m])) of a data symbol
///
/// with φ of `FrameLikelihood`. λ of a symbol that was lost is 0. Of several channels it looks at the best.
///
/// One table serves all profiles, one frame at a time. Cost: four FFTs of N points a symbol, and (2J + 1)·M additions. No allocation
/// after `init`.
struct MotionTable: ~Copyable {
    static let stepsPerSpacing = 4
    /// An offset changes by no more than this within a frame: from 1.4 m/s towards the receiver to 1.4 m/s away from it.
    private static let maximumChangeHertz = 160.0
    /// The highest energy over noise of a tone, 10.8 dB: in a louder frame the noise is assumed to be louder too. φ is flat where tones are
    /// loud, and a tone is hardly quieter half a spacing beside its place.
    private static let highestRatio: Float = 30
    /// J, in the profile measured last.
    private(set) var reach = 0
    /// λ; shape [longest frame][2J + 1].
    private(set) var values: [Float]

    private var format: BasebandFormat
    private let likelihood: FrameLikelihood
    /// One of each profile.
    private var transforms: OwnedList<MotionTransform>
    /// The cells of φ(x) of each bin, a spacing wide; shape [longest frame][stepsPerSpacing][binCount].
    private var cells: [UInt16]
    /// The reach in whole spacings.
    private var spacingReach = 0
    /// M + 2·spacingReach.
    private var binCount = 0
    /// The energies of a symbol's bins.
    private var powers: [Float]
    private var inverseNoise: [Float]
    /// The factor for the energies of a loud frame, 0 ... 1, so that they are at most `highestRatio` times the noise.
    private var inverseLoudness: Float = 1

    /// A table that has room for any frame of these profiles.
    init(profiles: [Profile], likelihood: FrameLikelihood) {
        self.likelihood = likelihood
        let formats = profiles.map { BasebandFormat(profile: $0) }
        format = formats[0]
        transforms = OwnedList(count: formats.count) { MotionTransform(length: formats[$0].samplesPerSymbol) }
        let toneCount = profiles.map { $0.toneCount }.max() ?? 0
        let (longest, reach) = (FrameLayout.longest.toneCount, formats.map(MotionTable.reach).max() ?? 0)
        let binCount = toneCount + 2 * MotionTable.spacings(reach)
        values = [Float](repeating: 0, count: longest * (2 * reach + 1))
        cells = [UInt16](repeating: 0, count: longest * MotionTable.stepsPerSpacing * binCount)
        powers = [Float](repeating: 0, count: binCount)
        inverseNoise = [Float](repeating: 0, count: toneCount)
    }

    /// J of a profile.
    static func reach(_ format: BasebandFormat) -> Int {
        Int((maximumChangeHertz / Double(stepHertz(format))).rounded(.up))
    }

    private static func spacings(_ reach: Int) -> Int { (reach + stepsPerSpacing - 1) / stepsPerSpacing }

    /// Δ of a profile, in hertz.
    static func stepHertz(_ format: BasebandFormat) -> Float {
        Float(format.profile.toneSpacingHertz) / Float(stepsPerSpacing)
    }

    var width: Int { 2 * reach + 1 }
    /// Δ in hertz.
    var stepHertz: Float { MotionTable.stepHertz(format) }

    /// Measures λ of the first symbols of a view, around its offset and at the times of a track.
    mutating func measure(
        _ view: FrameView, along track: borrowing MotionTrack, symbolCount: Int, profileIndex: Int,
        _ measurer: borrowing FrameMeasurer
    ) {
        format = view.format
        reach = MotionTable.reach(format)
        spacingReach = MotionTable.spacings(reach)
        binCount = format.profile.toneCount + 2 * spacingReach
        let history = measurer.histories[view.place.shares.best]
        measurer.writeInverseNoise(view, into: &inverseNoise)
        inverseLoudness = 1 / max(syncRatio(view, profileIndex, history) / MotionTable.highestRatio, 1)
        for quarter in 0..<MotionTable.stepsPerSpacing {
            transforms[profileIndex].tune(
                cyclesPerSample: format.cyclesPerSample(
                    offsetHertz: view.place.offsetHertz + Float(quarter) * stepHertz)
                    + 0.5 / Float(format.samplesPerSymbol))
            for symbol in 0..<symbolCount {
                measure(symbol, quarter, view, Int(track.starts[symbol].rounded()), profileIndex, history)
            }
        }
    }

    /// The mean of x over the sync tones at the view's place.
    private mutating func syncRatio(_ view: FrameView, _ profileIndex: Int, _ history: BasebandHistory) -> Float {
        var (sum, count) = (Float(0), Float(0))
        let length = format.samplesPerSymbol
        for (index, tone) in format.profile.syncTones.enumerated() {
            let symbol = FrameLayout.syncPlace(index)
            let first = Int((view.place.start + Double(symbol) * view.symbolLength).rounded())
            guard history.holds(from: first, count: length) else { continue }
            transforms[profileIndex].tune(
                cyclesPerSample: format.cyclesPerSample(tone: tone)
                    + format.cyclesPerSample(offsetHertz: view.place.offsetHertz(atSymbol: symbol)))
            sum +=
                history.withSamples(from: first, count: length) { transforms[profileIndex].energy($0) }
                * inverseNoise[tone]
            count += 1
        }
        return count > 0 ? sum / count : 0
    }

    /// λ of one symbol, whose first sample is `first`, at the offsets of one quarter.
    private mutating func measure(
        _ symbol: Int, _ quarter: Int, _ view: FrameView, _ first: Int, _ profileIndex: Int, _ history: BasebandHistory
    ) {
        let (length, toneCount) = (format.samplesPerSymbol, format.profile.toneCount)
        let heldShare = history.holds(from: first, count: length) ? history.heldShare(from: first, count: length) : 0
        let firstCell = (symbol * MotionTable.stepsPerSpacing + quarter) * binCount
        if heldShare >= NoiseFloor.minimumHeldShare {
            history.withSamples(from: first, count: length) { samples in
                // Half a spacing was mixed away, so that tone m is in bin m − M/2.
                let lowest = -toneCount / 2 - spacingReach
                transforms[profileIndex].transform(samples, bins: lowest..<lowest + binCount, into: &powers)
            }
            writeCells(heldShare: heldShare, at: firstCell)
        } else {
            for bin in firstCell..<firstCell + binCount { cells[bin] = MotionTable.lostCell }
        }
        for spacing in -spacingReach...spacingReach {
            let step = MotionTable.stepsPerSpacing * spacing + quarter
            guard abs(step) <= reach else { continue }
            let tones = firstCell + spacingReach + spacing
            var sum: Float = 0
            if let index = FrameLayout.syncIndex(at: symbol) {
                sum = ratio(tones + format.profile.syncTones[index]) * Float(toneCount)
            } else {
                for tone in tones..<tones + toneCount { sum += ratio(tone) }
            }
            values[symbol * width + reach + step] = fastLog(sum / Float(toneCount))
        }
    }

    /// Turns the energies of a symbol into cells of φ(x).
    private mutating func writeCells(heldShare: Float, at place: Int) {
        let (length, toneCount) = (format.samplesPerSymbol, format.profile.toneCount)
        var scale = 1 / (heldShare * Float(length * length))
        for bin in 0..<binCount { powers[bin] *= scale }
        scale = inverseLoudness * SymbolLevel.inverse(powers.span, from: spacingReach, inverseNoise.span, toneCount)
        for bin in 0..<binCount {
            let tone = min(max(bin - spacingReach, 0), toneCount - 1)
            cells[place + bin] = likelihood.cell(powers[bin] * scale * inverseNoise[tone])
        }
    }

    /// A cell that stands for φ = 1.
    private static let lostCell = UInt16.max

    private func ratio(_ place: Int) -> Float {
        let cell = cells[place]
        return cell == MotionTable.lostCell ? 1 : likelihood.table[Int(cell)]
    }

    // MARK: Tones

    /// Writes ln Σ_j w[j]·φ(x[k][j][m]) of each tone m of a symbol.
    /// - Parameters:
    ///   - symbol: k.
    ///   - weights: w, by offset; shape [2J + 1].
    ///   - metrics: receives the logarithms, from `place` on.
    func writeToneLikelihoods(_ symbol: Int, _ weights: [Float], into metrics: inout [Float], at place: Int) {
        let toneCount = format.profile.toneCount
        var sums = metrics.mutableSpan
        for tone in place..<place + toneCount { sums[tone] = 1e-12 }
        for step in -reach...reach {
            let weight = weights[reach + step]
            guard weight > 1e-4 else { continue }
            let first = firstCell(symbol, step)
            for tone in 0..<toneCount { sums[place + tone] += weight * ratio(first + tone) }
        }
        for tone in place..<place + toneCount { sums[tone] = fastLog(sums[tone]) }
    }

    /// Sets λ of a symbol to that of one tone: ln φ(x[k][j][tone]).
    mutating func setTone(_ tone: Int, of symbol: Int) {
        for step in -reach...reach {
            values[symbol * width + reach + step] = fastLog(ratio(firstCell(symbol, step) + tone))
        }
    }

    /// The place in `cells` of tone 0 of a symbol at an offset.
    private func firstCell(_ symbol: Int, _ step: Int) -> Int {
        let quarter = step & (MotionTable.stepsPerSpacing - 1)
        return (symbol * MotionTable.stepsPerSpacing + quarter) * binCount + spacingReach
            + (step - quarter) / MotionTable.stepsPerSpacing
    }
}
