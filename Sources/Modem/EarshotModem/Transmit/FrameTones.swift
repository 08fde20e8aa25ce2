import EarshotCoding

/// The tone of every symbol of a frame: sync pattern, length header (unless a token), interleaved and scrambled codeword, in
/// the places of `FrameLayout`.
enum FrameTones {
    /// The tones of the frame of `payload`; shape [FrameLayout.toneCount], each in 0 ..< M.
    static func tones(of payload: Payload, profile: Profile) -> [Int] {
        let layout = FrameLayout(payloadByteCount: payload.count)
        let header = (0..<layout.headerToneCount).map { index in
            LengthHeader.tone(index, byteCount: payload.count, toneAlphabet: profile.toneCount)
        }
        let codeword = profile.code.encode(FrameBits.pairs(of: payload))
        let data = DataTones.onAir(codeword, toneBits: profile.code.toneBits)
        return FrameLayout.arranged(sync: profile.syncTones, header + data)
    }
}
