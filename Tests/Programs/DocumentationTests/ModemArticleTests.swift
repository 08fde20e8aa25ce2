import EarshotCoding
import EarshotModem
import Testing

@Suite struct ModemArticleTests {
    @Test func sendAndReceive() throws {
        let token = try Payload(hex: "0123456789abcdef")
        let transmitter = try Transmitter(profile: .standard, sampleRateHertz: 48_000)
        let sound = transmitter.samples(token, amplitude: 0.25)

        var heard: [ReceivedFrame] = []
        var receiver = try Receiver(sampleRateHertz: 48_000)
        receiver.push(sound.span) { frame in heard.append(frame) }
        receiver.flush { frame in heard.append(frame) }
        for frame in heard { print(frame.payload, frame.startSample, frame.snrDecibels) }
        #expect(heard.map(\.payload) == [token])
    }

    @Test func aShortHoleIsSkipped() throws {
        let token = try Payload(hex: "0123456789abcdef")
        let sound = try Transmitter(profile: .standard, sampleRateHertz: 48_000).samples(token)
        let (cut, lostSampleCount) = (20_000, 4_800)
        let firstBlock = Array(sound[..<cut])
        let secondBlock = Array(sound[(cut + lostSampleCount)...])
        var heard: [ReceivedFrame] = []
        func report(_ frame: ReceivedFrame) { heard.append(frame) }

        var receiver = try Receiver(sampleRateHertz: 48_000)
        receiver.push(firstBlock.span) { frame in report(frame) }
        receiver.skip(lostSampleCount) { frame in report(frame) }
        receiver.push(secondBlock.span) { frame in report(frame) }
        receiver.flush { frame in report(frame) }
        #expect(heard.map(\.payload) == [token])
    }

    @Test func repeatsAreReadTogether() throws {
        let token = try Payload(hex: "0123456789abcdef")
        let transmitter = try Transmitter(profile: .fast, sampleRateHertz: 48_000)
        var heard: [ReceivedFrame] = []
        func report(_ frame: ReceivedFrame) { heard.append(frame) }

        let burst = try transmitter.burst(token, frameCount: 4, amplitude: 0.25)
        var patient = try Receiver(sampleRateHertz: 48_000, combining: 4)
        patient.push(burst.span) { frame in report(frame) }
        patient.flush { frame in report(frame) }
        #expect(Set(heard.map(\.payload)) == [token])
    }
}
