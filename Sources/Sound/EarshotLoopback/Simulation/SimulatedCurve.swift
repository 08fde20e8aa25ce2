import EarshotCoding
import EarshotModem

/// The points of one scene over signal-to-noise ratio, and the results from them.
package struct SimulatedCurve: Sendable {
    /// The scene; its own signal-to-noise ratio has no meaning.
    package let scene: AirScene
    /// The name of the scene's air.
    package let channel: String
    /// The finite-length bound for the data tones and the bits of a frame, payload and check, in white noise at a known place, for a
    /// decoder that knows the tones' energies; for a burst, for the data tones of all its frames.
    package let bound: FiniteLengthBound
    /// The same for a decoder that also knows the tones' phases.
    package let coherentBound: FiniteLengthBound
    /// The measured points, in any order.
    package var points: [SimulationPoint] = []

    /// A curve without points.
    package init(_ scene: AirScene, channel: String) {
        self.scene = scene
        self.channel = channel
        let layout = FrameLayout(payloadByteCount: scene.payloadByteCount)
        let bitCount = 8 * scene.payloadByteCount + FrameLayout.checkBitCount
        let (toneCount, symbolCount) = (scene.profile.toneCount, scene.burstCount * layout.dataToneCount)
        bound = FiniteLengthBound(toneCount: toneCount, symbolCount: symbolCount, bitCount: bitCount)
        coherentBound = FiniteLengthBound(
            toneCount: toneCount, symbolCount: symbolCount, bitCount: bitCount, knowsPhase: true)
    }

    /// The SNR at which a share of the frames decodes; nil without points.
    package func crossing(at share: Double) -> CurveCrossing? {
        CurveCrossing(share: share, points: points.map(\.crossingPoint))
    }

    /// The SNR at which the bound, for energies alone or with known phases, decodes a share.
    package func boundDecibels(share: Double, coherent: Bool = false) -> Double? {
        (coherent ? coherentBound : bound).snrDecibels(
            atSuccess: share, symbolSeconds: scene.profile.symbolSeconds)
    }

    /// The points that decode less than a share, or report a wrong frame.
    package func failures(minimumShare: Double) -> [SimulationPoint] {
        points.filter { $0.decodedShare < minimumShare || $0.tally.wrongCount > 0 }
    }
}
