import EarshotCoding
import EarshotModem

/// Earshot itself. The receiver listens for every profile, which is its default.
final class EarshotPeer: Peer {
    private let transmitter: Transmitter

    init(_ profile: Profile) throws {
        transmitter = try Transmitter(profile: profile, sampleRateHertz: PeerAir.sampleRateHertz)
    }

    func encode(_ token: [UInt8]) throws -> [Float] {
        transmitter.samples(try Payload(token))
    }

    func decode(_ samples: [Float]) throws -> Reception {
        var receiver = try Receiver(sampleRateHertz: PeerAir.sampleRateHertz)
        var payloads: [[UInt8]] = []
        receiver.push(samples.span) { payloads.append($0.payload.bytes) }
        receiver.flush { payloads.append($0.payload.bytes) }
        return .payloads(payloads)
    }

    static func modems(program: String) -> [PeerModem] {
        Profile.all.map { profile in
            PeerModem(
                name: "Earshot `\(profile.name)`", setting: "all profiles on", isChecked: true,
                open: { try EarshotPeer(profile) },
                decodeCommand: { [program, "decode", "--jobs", "1", "--json", "--quiet", $0] })
        }
    }
}
