import EarshotCoding
import EarshotModem

/// The points of one scene over signal-to-noise ratio, and what follows from them.
public struct SimulatedCurve: Sendable {
    /// What was simulated; its own signal-to-noise ratio means nothing.
    public let scene: AirScene
    /// The name of the scene's air.
    public let channel: String
    /// The finite-length bound of the frame's data tones and of its bits, payload and check, in white noise with the
    /// frame's place known; of a burst's data tones, all of them together.
    public let bound: FiniteLengthBound
    /// What was measured, in any order.
    public var points: [SimulationPoint] = []

    /// Nothing measured yet.
    public init(_ scene: AirScene, channel: String) {
        self.scene = scene
        self.channel = channel
        let layout = FrameLayout(payloadByteCount: scene.payloadByteCount)
        bound = FiniteLengthBound(
            toneCount: scene.profile.toneCount, symbolCount: scene.burstCount * layout.dataToneCount,
            bitCount: 8 * scene.payloadByteCount + FrameLayout.checkBitCount)
    }

    /// Where a share of the frames is decoded; nil without points.
    public func crossing(at share: Double) -> CurveCrossing? {
        CurveCrossing(share: share, points: points.map(\.crossingPoint))
    }

    /// Where the bound's share is decoded.
    public func boundDecibels(share: Double) -> Double? {
        bound.snrDecibels(atSuccess: share, symbolSeconds: scene.profile.symbolSeconds)
    }

    /// The points that decode less than a share, or anything wrong.
    public func failures(leastShare: Double) -> [SimulationPoint] {
        points.filter { $0.decodedShare < leastShare || $0.tally.wrongCount > 0 }
    }
}
