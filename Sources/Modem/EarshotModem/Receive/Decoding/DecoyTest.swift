import EarshotCoding

/// Tests whether a decoded path fits clearly better than a decoy: the best path under a scrambling that no transmitter uses.
///
/// If there is no frame, the decoder finds paths as good as the decoy in the same energies. The test runs only after
/// the CRC has matched, so it costs one more walk through the trellis a frame.
enum DecoyTest {
    /// The decoy's first step in the scrambler's sequence; no frame is so long.
    static let scramblerStart = 10_000

    /// Compares the last path with the decoy, which becomes the last path.
    /// - Parameters:
    ///   - trellis: holds the path and the branch metrics.
    ///   - code: the trellis code of the profile.
    ///   - stepCount: the number of data tones.
    ///   - margin: the minimum advantage of the path's fit over the decoy's.
    ///   - fit: measures the fit of the last path.
    static func passes(
        _ trellis: inout FrameTrellis, _ code: TrellisCode, stepCount: Int, margin: Float,
        fit: (borrowing FrameTrellis) -> Float
    ) -> Bool {
        let own = fit(trellis)
        trellis.decode(code, stepCount: stepCount, scramblerStart: scramblerStart)
        return own - fit(trellis) >= margin
    }
}
