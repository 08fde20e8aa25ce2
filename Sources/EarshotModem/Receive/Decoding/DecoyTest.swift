import EarshotCoding

/// Whether a decoded path fits clearly better than a decoy: the best path under a scrambling that no transmitter uses.
///
/// The decoy is what the decoder finds where there is no frame, in just these energies. It is asked only after the CRC has
/// matched, so it costs one more walk through the trellis a frame.
enum DecoyTest {
    /// Where in the scrambler's sequence the decoy starts; no frame is so long.
    static let scramblerStart = 10_000

    /// Compares the path found last with the decoy, which becomes the path found last.
    /// - Parameters:
    ///   - margin: by how much the path must fit better.
    ///   - fit: how well the path found last fits.
    static func passes(
        _ trellis: inout FrameTrellis, _ code: TrellisCode, stepCount: Int, margin: Float,
        fit: (borrowing FrameTrellis) -> Float
    ) -> Bool {
        let own = fit(trellis)
        trellis.decode(code, stepCount: stepCount, scramblerStart: scramblerStart)
        return own - fit(trellis) >= margin
    }
}
