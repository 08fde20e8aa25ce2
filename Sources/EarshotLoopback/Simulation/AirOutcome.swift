package import EarshotCoding
package import EarshotModem

/// What a receiver made of one trial of a scene.
package struct AirOutcome: Sendable {
    /// What was sent; shape [talkers].
    package var payloads: [Payload]
    /// Where it was sent: samples at the receiver; shape [talkers].
    package var startSamples: [Int]
    /// All that was reported.
    package var frames: [ReceivedFrame]
    /// What the receiver did.
    package var statistics: ReceiverStatistics
    /// The profile it was sent in.
    package var profileName: String
    /// How often each was sent.
    package var burstCount = 1

    /// How many of the frames sent were reported at least once.
    package var decodedCount: Int {
        Set(payloads).count { payload in frames.contains { isHit($0, payload) } }
    }

    /// Reports of something that was not sent.
    package var wrongCount: Int {
        frames.count { frame in !payloads.contains { isHit(frame, $0) } }
    }

    /// Reports of what was sent, beyond one a frame.
    package var duplicateCount: Int {
        Set(payloads).reduce(0) { sum, payload in
            sum + max(0, frames.count { isHit($0, payload) } - burstCount)
        }
    }

    private func isHit(_ frame: ReceivedFrame, _ payload: Payload) -> Bool {
        frame.payload == payload && frame.profileName == profileName
    }
}
