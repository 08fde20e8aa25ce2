import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// The frame that a receiver makes, compared with the one that a transmitter sends.
@Suite(.optimized) struct FrameReplicaTests {
    /// After a fit of one complex factor, at most −40 dB remain. The downconverter's passband ripples by 0.03 dB
    /// (−49 dB), and the energy that a frequency step spreads beyond the passband is lost as well.
    @Test(arguments: Profile.all, [0, 0.001, -0.004])
    func isWhatIsSent(_ profile: Profile, relativeOffset: Double) throws {
        let payload = try Payload(hex: "0123456789abcdef")
        let history = try ReplicaScene.history(payload, profile, relativeOffset: relativeOffset)
        var replica = FrameReplica(profiles: Profile.all)
        let tones = FrameTones.tones(of: payload, profile: profile)
        replica.make(
            tones, symbolCount: tones.count, BasebandFormat(profile: profile),
            start: ReplicaScene.start, offsetHertz: relativeOffset * profile.centreHertz)
        let r = Array(replica.samples[0..<replica.sampleCount])
        let x = ReplicaScene.samples(history, from: replica.firstIndex, count: replica.sampleCount)
        let factor = zip(x, r).reduce(ComplexSample()) { $0 + $1.0.times($1.1.conjugate) }
        let gain = factor * Float(1 / ReplicaScene.power(r))
        let left = zip(x, r).map { $0 - $1.times(gain) }
        let leftDecibels = decibels(ReplicaScene.power(left) / ReplicaScene.power(x))
        #expect(leftDecibels < -40, "\(leftDecibels) dB left")
    }
}
