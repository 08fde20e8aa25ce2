import CEarshot
import EarshotCoding
import EarshotModem

/// The tones of a payload's frame in their order, for drawing.
/// - Parameters:
///   - payload: the bytes, 1 to 32.
///   - profile: EARSHOT_FAST, EARSHOT_STANDARD or EARSHOT_FAR.
///   - hertz: receives the frequency of each tone.
///   - capacity: the number of tones for which there is room.
///   - symbolSeconds: receives the length of a tone.
/// - Returns: the number of tones, or a negative `earshot_status`.
@c
public func earshot_tones(
    _ payload: UnsafePointer<UInt8>?, _ payloadSize: Int, _ profile: UInt32, _ hertz: UnsafeMutablePointer<Float>?,
    _ capacity: Int, _ symbolSeconds: UnsafeMutablePointer<Double>?
) -> Int32 {
    guard let payload, let hertz, let symbolSeconds else { return EARSHOT_ERROR_NULL.rawValue }
    guard let chosen = Profile.numbered(profile),
        let transmitter = try? Transmitter(profile: chosen, sampleRateHertz: 48_000)
    else { return EARSHOT_ERROR_PROFILE.rawValue }
    guard Payload.validCounts.contains(payloadSize),
        let bytes = try? Payload(UnsafeBufferPointer(start: payload, count: payloadSize))
    else { return EARSHOT_ERROR_PAYLOAD.rawValue }
    let tones = transmitter.tones(bytes)
    guard tones.count <= capacity else { return EARSHOT_ERROR_CAPACITY.rawValue }
    for (index, tone) in tones.enumerated() {
        hertz[index] = Float(chosen.toneHertz(tone))
    }
    symbolSeconds.pointee = chosen.symbolSeconds
    return Int32(tones.count)
}

extension Profile {
    /// The profile with that bit of a mask; nil if there is none.
    fileprivate static func numbered(_ number: UInt32) -> Profile? {
        switch Int(number) {
        case EARSHOT_FAST: fast
        case EARSHOT_STANDARD: standard
        case EARSHOT_FAR: far
        default: nil
        }
    }
}
