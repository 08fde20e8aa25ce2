import EarshotCoding
import EarshotModem
import Foundation
import TestSupport
import Testing

/// The library example of the README: it is the same as here, and does what the README says.
@Suite struct ReadmeTests {
    @Test func libraryExampleWorks() throws {
        var heard: [Payload] = []
        let token = try Payload(hex: "0123456789abcdef")
        let sound = try Transmitter(profile: .standard, sampleRateHertz: 48_000).samples(token, amplitude: 0.25)

        var receiver = try Receiver(sampleRateHertz: 48_000)
        receiver.push(sound.span) { frame in heard.append(frame.payload) }
        receiver.flush { frame in heard.append(frame.payload) }
        #expect(heard == [token])
    }

    /// The lines above are the README's, except for the use of each frame.
    @Test func readmeHoldsTheExample() throws {
        let text = String(decoding: try Repository.contents("README.md"), as: UTF8.self)
        let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
        let lines = source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let start = try #require(lines.firstIndex { $0.hasPrefix("let token = try Payload") })
        for line in lines[start...start + 2] {
            #expect(text.contains(line), "\(line)")
        }
    }
}
