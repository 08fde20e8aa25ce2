import EarshotCoding
import EarshotDSP

/// Finds the path of offsets along which a frame is likeliest, while its transmitter or receiver changes its speed.
///
/// 1. `MotionTable`: how likely each offset is in each symbol, which begins where a track says; the first one has a constant offset.
/// 2. `MotionChain`: what all other symbols say of a symbol's offset.
/// 3. λ[k][m] = ln Σ_f w[k][f]·φ(x[k][f][m]): the likelihood of each tone, whatever the offset. The code chooses among them, and with it
///    between paths that differ by a spacing.
/// 4. With the code's tones taken as known, the chain has one path: the track along which the frame is measured and decoded. If it does
///    not decode, all steps are repeated along this track.
///
/// A person who walks past at 1.4 m/s and 1 m changes the offset by up to 110 Hz a second: two and a half tone spacings of a `standard`
/// frame, ten of a `far` one.
///
/// Cost: that of the table and the chain. No allocation after `init`.
struct MotionSearch: ~Copyable {
    /// The minimum of Λ at a constant offset for a search. In noise one candidate in e¹⁵ reaches it. Frames that a search can still decode
    /// are above it, because their data symbols have loud tones at any offset. Walks past and hands, 200 trials each, seed 7001: with 5,
    /// 2 frames more decode; with 25, 9 fewer.
    static let minimumLogRatio: Float = 15
    /// How often the frame is searched, each time in the symbols of the track found last: at one offset the end of a long frame comes half
    /// a symbol too early or too late. A walk past, 32 bytes, `standard` −8 dB: 55, 71, 79 % with 1, 2, 3 (seed 7002).
    static let roundCount = 3
    /// The minimum of Λ of the likeliest path. Below it, hardly any frame decodes.
    private static let minimumPathLogRatio: Float = 12

    private var table: MotionTable
    private var chain: MotionChain

    init(profiles: [Profile], likelihood: FrameLikelihood) {
        table = MotionTable(profiles: profiles, likelihood: likelihood)
        chain = MotionChain(profiles: profiles)
    }

    /// Searches around a view's place, in the symbols of a track.
    /// - Returns: whether there is a path that is likely enough, and the work.
    mutating func search(
        _ view: FrameView, along track: borrowing MotionTrack, profileIndex: Int, _ measurer: borrowing FrameMeasurer
    ) -> (isLikely: Bool, work: DecodingWork) {
        let symbolCount = view.layout.toneCount
        table.measure(view, along: track, symbolCount: symbolCount, profileIndex: profileIndex, measurer)
        let logRatio = chain.runForward(table, view.format, symbolCount: symbolCount)
        return (logRatio >= MotionSearch.minimumPathLogRatio, DecodingWork.symbolMotion * symbolCount)
    }

    /// Writes λ of the data tones of the view that was searched, whatever its path; shape [dataToneCount][M].
    mutating func writeToneLikelihoods(_ view: FrameView, into metrics: inout [Float]) {
        let layout = view.layout
        writeLikelihoods(layout.dataToneCount, symbolCount: layout.toneCount, view.profile, into: &metrics) {
            layout.dataPlace($0)
        }
    }

    /// Writes λ of the tones of a length header, whatever the path of a view through its sync pattern; shape [LengthHeader.toneCount][M].
    /// - Returns: the work.
    mutating func writeHeaderLikelihoods(
        _ view: FrameView, along track: borrowing MotionTrack, profileIndex: Int, _ measurer: borrowing FrameMeasurer,
        into metrics: inout [Float]
    ) -> DecodingWork {
        let symbolCount = FrameLayout.syncSpanToneCount
        table.measure(view, along: track, symbolCount: symbolCount, profileIndex: profileIndex, measurer)
        _ = chain.runForward(table, view.format, symbolCount: symbolCount)
        writeLikelihoods(LengthHeader.toneCount, symbolCount: symbolCount, view.profile, into: &metrics) {
            FrameLayout.headerPlace($0)
        }
        return DecodingWork.symbolMotion * symbolCount
    }

    /// Writes λ of the tones in the symbols `place(0 ..< count)`, which ascend; shape [count][M].
    private mutating func writeLikelihoods(
        _ count: Int, symbolCount: Int, _ profile: Profile, into metrics: inout [Float], _ place: (Int) -> Int
    ) {
        var index = count - 1
        chain.runBackward(table, symbolCount: symbolCount) { symbol, weights in
            guard index >= 0, symbol == place(index) else { return }
            table.writeToneLikelihoods(symbol, weights, into: &metrics, at: index * profile.toneCount)
            index -= 1
        }
    }

    /// Writes the track of the view that was searched, if these are its tones.
    /// - Parameter tones: the data tones; shape [dataToneCount or more].
    mutating func follow(_ tones: [UInt8], _ view: FrameView, into track: inout MotionTrack) {
        let symbolCount = view.layout.toneCount
        for step in 0..<view.layout.dataToneCount { table.setTone(Int(tones[step]), of: view.layout.dataPlace(step)) }
        _ = chain.runForward(table, view.format, symbolCount: symbolCount)
        chain.trace(table, symbolCount: symbolCount)
        let (stepHertz, offsetHertz) = (table.stepHertz, view.place.offsetHertz)
        track.write(from: view.place.start, symbolCount: symbolCount) { offsetHertz + stepHertz * chain.steps[$0] }
    }
}
