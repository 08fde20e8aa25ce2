import EarshotAudio
import EarshotCoding
import EarshotLive
import EarshotModem
import Foundation
import Testing

@Suite struct AudioArticleTests {
    @Test func aWrittenFileIsRead() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "sound.wav").path
        let samples = (0..<48_000).map { 0.5 * sinf(Float($0) * 0.1) }

        try write(samples, path: path)
        let peak = try peak(path: path)
        // The error is half a step of 2⁻¹⁵ of 16 bits, plus that of a sine sampled ten times a radian.
        #expect(abs(peak - 0.5) < 0.001)
    }

    private func write(_ samples: [Float], path: String) throws {
        var writer = try WAVWriter(path: path, sampleRateHertz: 48_000, channelCount: 1, format: .s16)
        try writer.write(samples)
        try writer.finish()
    }

    private func peak(path: String) throws -> Float {
        var reader = try SoundFileReader(path: path)
        var block: [Float] = []
        var peak: Float = 0
        while case let frameCount = try reader.read(into: &block, maxFrames: 8_192), frameCount > 0 {
            for sample in block.prefix(frameCount * reader.channelCount) { peak = max(peak, abs(sample)) }
        }
        return peak
    }
}

/// Compiled, not run: this code opens devices.
enum DeviceCode {
    static func record() throws {
        let microphone = try Microphone(DeviceRequest("default"))
        var frameCount = 0
        while frameCount < microphone.format.sampleRateHertz,
            microphone.next({ block, samples in frameCount += block.frameCount })
        {}
        microphone.stop()
    }

    static func play(_ samples: [Float]) async throws {
        let loudspeaker = try Loudspeaker(DeviceRequest("default", bufferSeconds: 0.25))
        let playback = try await loudspeaker.play(samples)
        print("the loudspeaker ran dry \(playback.underrunCount) times")
    }

    static func choose() throws {
        for device in try DeviceList.read().devices where device.isUsual {
            for direction in device.directions {
                let offer = DeviceProbe.offers(of: [.init(device.name, direction)])[0]
                let verdict = (try? offer.get())?.canCarryBand.verdict
                print(device.name, direction, verdict ?? .no)
            }
        }
    }

    static func listen() async throws {
        let listener = try Listener(DeviceRequest("default"), reconnects: true)
        for await event in listener.events() {
            if case .heard(let heard) = event { print(heard.payload, heard.startSeconds) }
        }
    }

    static func broadcast(_ token: Payload) async throws {
        let broadcaster = try Broadcaster(DeviceRequest("default", bufferSeconds: 0.25), profile: .standard)
        let playback = try await broadcaster.broadcast(token)
        print(playback)
    }
}
