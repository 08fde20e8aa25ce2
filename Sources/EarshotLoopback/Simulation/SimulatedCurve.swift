import EarshotCoding
import EarshotModem

/// The points of one scene over signal-to-noise ratio, and what follows from them.
package struct SimulatedCurve: Sendable {
    /// What was simulated; its own signal-to-noise ratio means nothing.
    package let scene: AirScene
    /// The name of the scene's air.
    package let channel: String
    /// The finite-length bound of the frame's data tones and of its bits, payload and check, in white noise with the
    /// frame's place known; of a burst's data tones, all of them together.
    package let bound: FiniteLengthBound
    /// What was measured, in any order.
    package var points: [SimulationPoint] = []

    /// Nothing measured yet.
    package init(_ scene: AirScene, channel: String) {
        self.scene = scene
        self.channel = channel
        let layout = FrameLayout(payloadByteCount: scene.payloadByteCount)
        bound = FiniteLengthBound(
            toneCount: scene.profile.toneCount, symbolCount: scene.burstCount * layout.dataToneCount,
            bitCount: 8 * scene.payloadByteCount + FrameLayout.checkBitCount)
    }

    /// Where a share of the frames is decoded; nil without points.
    package func crossing(at share: Double) -> CurveCrossing? {
        CurveCrossing(share: share, points: points.map(\.crossingPoint))
    }

    /// Where the bound's share is decoded.
    package func boundDecibels(share: Double) -> Double? {
        bound.snrDecibels(atSuccess: share, symbolSeconds: scene.profile.symbolSeconds)
    }

    /// The points that decode less than a share, or anything wrong.
    package func failures(leastShare: Double) -> [SimulationPoint] {
        points.filter { $0.decodedShare < leastShare || $0.tally.wrongCount > 0 }
    }
}
