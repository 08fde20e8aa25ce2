import EarshotBasics
import EarshotModem

@testable import EarshotCoding

/// Bits of the decoder give a payload only if they are those of its frame. The trellis decoder
/// finds the sent bits, and accepts any metrics.
func fuzzPayload(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    switch input.below(3) {
    case 0:
        let pairs = input.remainder().map { $0 & 3 }
        let byteCount = (pairs.count - 12) / 4
        guard pairs.count >= 16, Payload.validCounts.contains(byteCount) else { return }
        let used = Array(pairs.prefix(4 * byteCount + 12))
        if let payload = FrameBits.payload(in: used.span, byteCount: byteCount) {
            require(FrameBits.pairs(of: payload) == used, "\(used) became \(payload)")
        }
    case 1:
        guard let payload = try? Payload(input.remainder().prefix(32)) else { return }
        require(PayloadMixer.unmix(PayloadMixer.mix(payload)) == payload, "\(payload) is mixed up")
        let pairs = FrameBits.pairs(of: payload)
        require(FrameBits.payload(in: pairs.span, byteCount: payload.count) == payload, "\(payload) is not its bits")
        for toneCount in [16, 32, 64] {
            for index in 0..<LengthHeader.toneCount {
                let tone = LengthHeader.tone(index, byteCount: payload.count, toneAlphabet: toneCount)
                require((0..<toneCount).contains(tone), "tone \(tone) of \(toneCount)")
            }
        }
    default: trellis(&input)
    }
}

private func trellis(_ input: inout FuzzInput) {
    let profile = Profile.all[input.below(3)]
    let isClean = input.below(2) == 0
    guard let payload = try? Payload(input.bytes(1 + input.below(32))) else { return }
    let pairs = FrameBits.pairs(of: payload)
    let codeword = profile.code.encode(pairs)
    var metrics = [Float](repeating: 0, count: codeword.count * profile.toneCount)
    for (step, tone) in codeword.enumerated() { metrics[step * profile.toneCount + Int(tone)] = 4 }
    if !isClean {
        for (place, byte) in input.remainder().enumerated() where place < metrics.count {
            metrics[place] = Float(Int8(bitPattern: byte)) * (byte & 1 == 0 ? 1 : 1e30)
        }
    }
    var decoder = TrellisDecoder(memoryBits: profile.code.memoryBits, longestStepCount: pairs.count)
    var decoded = [UInt8](repeating: 0, count: pairs.count)
    let isFound = decoder.decode(profile.code, metrics, stepCount: pairs.count, into: &decoded)
    require(decoded.allSatisfy { $0 < 4 }, "\(decoded)")
    if isClean { require(isFound && decoded == pairs, "\(payload) became \(decoded)") }
}
