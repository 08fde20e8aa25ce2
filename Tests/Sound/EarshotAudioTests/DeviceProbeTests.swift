import Dispatch
import Testing

@testable import EarshotAudio

/// Lists, and probes of PCMs that every ALSA has. PCMs that need a configuration of their own are tested through the
/// command line, because ALSA reads one configuration for a whole process.
@Suite struct DeviceProbeTests {
    @Test func aListKnowsDefaultAndNull() throws {
        let list = try DeviceList.read()
        #expect(list.devices.first?.name == "default")
        let null = list.devices.first { $0.name == "null" }
        #expect(null?.directions == [.capture, .playback])
        #expect(null?.description.contains("Discard all samples") == true)
        #expect(Set(list.devices.map(\.name)).count == list.devices.count)
    }

    @Test func theSamePCMIsListedOnce() {
        let card = ListedDevice(name: "hw:CARD=Mic,DEV=0", directions: [.capture])
        let hint = ListedDevice(name: "hw:CARD=Mic,DEV=0", description: "USB Mic")
        let other = ListedDevice(name: "air_in")
        let described = ListedDevice(name: "hw:CARD=Mic,DEV=0", description: "USB Mic", directions: [.capture])
        #expect(DeviceList.merge([card], [hint, other, other]) == [described, other])
    }

    @Test func cardsServersAndConfiguredPCMsAreUsual() {
        let usual = ["default", "hw:CARD=PCH,DEV=0", "hw:1", "pulse", "pipewire", "air_in", "frontdoor", "my dmix"]
        let unusual = [
            "null", "plughw:CARD=PCH,DEV=0", "default:CARD=PCH", "sysdefault", "sysdefault:CARD=PCH",
            "front:CARD=PCH,DEV=0", "surround51:CARD=PCH,DEV=0", "iec958:CARD=PCH,DEV=0", "hdmi:CARD=PCH,DEV=0",
            "dmix:CARD=PCH,DEV=0", "dsnoop:CARD=PCH,DEV=0", "oss", "jack", "lavrate", "upmix",
        ]
        for name in usual { #expect(ListedDevice(name: name).isUsual, "\(name)") }
        for name in unusual { #expect(!ListedDevice(name: name).isUsual, "\(name)") }
    }

    @Test(arguments: DeviceDirection.allCases)
    func nullOffersEverything(direction: DeviceDirection) throws {
        let offer = try #require(DeviceProbe.offers(of: [.init("null", direction)]).first).get()
        #expect(offer.kind == .null)
        #expect(offer.cardNumber == nil)
        #expect(offer.ratesHertz == DeviceOffer.usualRatesHertz)
        #expect(offer.encodings == DeviceEncoding.allCases)
        #expect(offer.otherEncodings.contains("U8"))
        #expect(!offer.otherEncodings.contains("S16_LE"))
        #expect(offer.choice == DeviceOffer.Choice(sampleRateHertz: 48_000, encoding: .f32, channelCount: 1))
    }

    @Test func answersComeInTheOrderOfTheQuestions() throws {
        let results = DeviceProbe.offers(
            of: [.init("nowhere", .capture), .init("null", .capture), .init("plug:null", .playback)])
        #expect(throws: DeviceError.self) { try results[0].get() }
        if case .failure(let error) = results[0] {
            #expect(error.kind == .notFound)
            #expect(error.device == "nowhere")
            #expect(error.detail.contains("Unknown PCM nowhere"))
        }
        #expect(try results[1].get().kind == .null)
        #expect(try results[2].get().kind == .converter)
    }

    @Test func anInquiryReturnsNilUntilItsAnswerArrives() {
        let gate = DispatchSemaphore(value: 0)
        let inquiry = Inquiry { () -> Int in
            gate.wait()
            return 7
        }
        #expect(inquiry.answer(within: 0.05) == nil)
        gate.signal()
        #expect(inquiry.answer(within: 60) == 7)
        #expect(inquiry.answer(within: 0) == 7)
    }
}
