package import EarshotCoding
package import EarshotModem

/// The result of one trial of a scene.
package struct AirOutcome: Sendable {
    /// The payloads that were sent; shape [talkers].
    package var payloads: [Payload]
    /// The starts of the payloads, in the receiver's samples; shape [talkers].
    package var startSamples: [Int]
    /// All frames that were reported.
    package var frames: [ReceivedFrame]
    /// The receiver's counters.
    package var statistics: ReceiverStatistics
    /// The profile of the frames sent.
    package var profileName: String
    /// How often each payload was sent.
    package var burstCount = 1

    /// The number of sent frames that were reported at least once.
    package var decodedCount: Int {
        Set(payloads).count { payload in frames.contains { isHit($0, payload) } }
    }

    /// The number of reports of a frame that was not sent.
    package var wrongCount: Int {
        frames.count { frame in !payloads.contains { isHit(frame, $0) } }
    }

    /// The number of reports of a sent frame after its first.
    package var duplicateCount: Int {
        Set(payloads).reduce(0) { sum, payload in
            sum + max(0, frames.count { isHit($0, payload) } - burstCount)
        }
    }

    private func isHit(_ frame: ReceivedFrame, _ payload: Payload) -> Bool {
        frame.payload == payload && frame.profileName == profileName
    }
}
