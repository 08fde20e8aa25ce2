import EarshotCoding
import EarshotModem
import Foundation
import TestSupport
import Testing

/// The transmitter against an encoder that shares no code with it; see Tests/Modem/Vectors/.
@Suite struct TransmitVectorTests {
    @Test func tonesAndChecksAreThoseOfTheVectors() throws {
        let vectors = try Vectors.stored()
        #expect(Set(vectors.frames.map { "\($0.profile) \($0.payload.count / 2)" }).count == 96)
        for vector in vectors.frames {
            let profile = try #require(Profile.named(vector.profile))
            let payload = try Payload(hex: vector.payload)
            let transmitter = try Transmitter(profile: profile, sampleRateHertz: 48_000)
            #expect(transmitter.tones(payload) == vector.tones, "\(vector.profile) \(vector.payload)")
            let sent = PayloadMixer.mix(payload)
            #expect(sent.hex == vector.sent, "\(vector.payload)")
            #expect(CRC24.frameCheck(sent) == UInt32(vector.crc, radix: 16), "\(vector.payload)")
        }
    }

    /// The samples of the vectors have seven digits; those of the transmitter are in single precision.
    ///
    /// The phase may be a sum over samples instead of an integral, by the midpoint rule: that errs only within a step, by
    /// 2π·f'/24F², f' ≤ 1,406 Hz/(σ·√2π) with σ = 10.67 ms/24, which is 1.4e-4 at 48 kHz.
    @Test func samplesAreThoseOfTheVectors() throws {
        for waveform in try Vectors.stored().waveforms {
            try compare(waveform)
        }
    }

    private func compare(_ waveform: Vectors.Waveform) throws {
        let profile = try #require(Profile.named(waveform.profile))
        let transmitter = try Transmitter(profile: profile, sampleRateHertz: waveform.rate)
        let samples = transmitter.samples(try Payload(hex: waveform.payload))
        try #require(samples.count == waveform.count)
        for pair in waveform.samples {
            let index = Int(pair[0])
            let error = abs(Double(samples[index]) - pair[1])
            #expect(error < 1.5e-4, "sample \(index) of \(waveform.profile) \(waveform.payload)")
        }
    }

    @Test(.enabled(if: Repository.hasPython, "python3 is not installed"))
    func vectorsAreWhatTheScriptPrints() throws {
        let run = try Repository.run("python3", Vectors.script)
        #expect(run.status == 0)
        #expect(try run.output == Repository.contents(Vectors.file))
    }
}
