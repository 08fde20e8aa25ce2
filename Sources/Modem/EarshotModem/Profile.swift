public import EarshotCoding

/// The air format as one value: every number that a transmitter and a receiver must agree on.
///
/// | profile | M | T | tone spacing | token on air |
/// |---|---|---|---|---|
/// | `fast` | 16 | 10.67 ms | 93.75 Hz | 0.555 s |
/// | `standard` | 32 | 21.33 ms | 46.875 Hz | 1.109 s |
/// | `far` | 64 | 42.67 ms | 23.4375 Hz | 2.219 s |
///
/// Everything else follows: T = M / bandwidth, so that neighbouring tones are just orthogonal over a symbol.
/// See `docs/PROTOCOL.md`. There are these three profiles and no others: the protocol defines them, and the receiver is measured
/// with them.
public struct Profile: Sendable, Identifiable {
    /// The name that users type: "fast", "standard" or "far".
    public let name: String
    /// The lower edge of the band, in hertz.
    public let lowestHertz: Double
    /// The width of the band, in hertz.
    public let bandwidthHertz: Double
    /// The trellis code, whose output is the tone. It has M tones.
    public let code: TrellisCode
    /// The sync tones of every frame, each in 0 ..< M; shape [FrameLayout.syncToneCount]. `FrameLayout` has their places.
    public let syncTones: [Int]
    /// The standard deviation of the Gaussian that smooths a frequency step, in symbols (3σ = T/8).
    public let stepDeviationSymbols: Double
    /// The length of the raised-cosine fade at either end of a frame, inside the frame, in seconds.
    public let rampSeconds: Double
    /// The maximum frequency offset that a receiver looks for, over the carrier's frequency: Doppler and clock error.
    public let maximumOffset: Double

    /// Checks the numbers against each other; a contradiction among them is a programming error.
    init(
        name: String, lowestHertz: Double, bandwidthHertz: Double, code: TrellisCode, syncTones: [Int],
        stepDeviationSymbols: Double = 1.0 / 24, rampSeconds: Double = 0.005, maximumOffset: Double = 0.0095
    ) {
        precondition(lowestHertz > 0 && bandwidthHertz > 0, "band of \(bandwidthHertz) Hz at \(lowestHertz) Hz")
        precondition(
            syncTones.count == FrameLayout.syncToneCount,
            "\(syncTones.count) sync tones, not \(FrameLayout.syncToneCount)")
        precondition(
            syncTones.allSatisfy { (0..<code.toneCount).contains($0) } && Set(syncTones).count == syncTones.count,
            "sync tones are different ones of \(code.toneCount): \(syncTones)")
        precondition(code.toneCount >= 16, "the length header needs 16 tones, not \(code.toneCount)")
        precondition((0...1.0 / 24).contains(stepDeviationSymbols), "steps slower than T/8 cost sensitivity")
        precondition(
            rampSeconds >= 0.005 && rampSeconds <= Double(code.toneCount) / bandwidthHertz,
            "a ramp of \(rampSeconds) s clicks below 5 ms and must fit into a symbol")
        precondition((0..<0.02).contains(maximumOffset), "offset of \(maximumOffset)")
        self.name = name
        self.lowestHertz = lowestHertz
        self.bandwidthHertz = bandwidthHertz
        self.code = code
        self.syncTones = syncTones
        self.stepDeviationSymbols = stepDeviationSymbols
        self.rampSeconds = rampSeconds
        self.maximumOffset = maximumOffset
    }

    /// The same as `name`.
    public var id: String { name }
    /// M: the number of tones, 16, 32 or 64.
    public var toneCount: Int { code.toneCount }
    /// T: the length of a symbol, M / bandwidth, in seconds.
    public var symbolSeconds: Double { Double(toneCount) / bandwidthHertz }
    /// The distance between neighbouring tones, 1 / T, in hertz.
    public var toneSpacingHertz: Double { bandwidthHertz / Double(toneCount) }
    /// The middle of the band, in hertz.
    public var centreHertz: Double { lowestHertz + bandwidthHertz / 2 }
    /// The upper edge of the band, in hertz.
    public var highestHertz: Double { lowestHertz + bandwidthHertz }

    /// The frequency of tone m, 0 ..< M, in hertz: lowest + (m + ½)·spacing.
    public func toneHertz(_ m: Int) -> Double {
        lowestHertz + (Double(m) + 0.5) * toneSpacingHertz
    }

    /// The length of a payload's frame on the air, ramps included, in seconds.
    /// - Parameter payloadByteCount: the payload's bytes, in `Payload.validCounts`.
    public func frameSeconds(payloadByteCount: Int) -> Double {
        Double(FrameLayout(payloadByteCount: payloadByteCount).toneCount) * symbolSeconds
    }

    /// The length of a burst of `frameCount` tokens, from the first frame's start to the last one's end, in seconds.
    /// - Parameter frameCount: 1 for a single frame, or one of `FrameLayout.burstCounts`.
    public func burstSeconds(frameCount: Int) -> Double {
        Double((frameCount - 1) * FrameLayout.burstSpacingToneCount + FrameLayout.token.toneCount) * symbolSeconds
    }
}

extension Profile: CustomStringConvertible {
    /// The same as `name`.
    public var description: String { name }
}

extension Profile {
    /// For arm's length and line of sight: a token's 52 tones in 0.555 s.
    public static let fast = Profile(
        name: "fast", lowestHertz: 18_500, bandwidthHertz: 1_500,
        code: TrellisCode(memoryBits: 10, generators: [0o4224, 0o2174, 0o1065, 0o457]),
        syncTones: [0, 4, 6, 3, 1, 7, 2, 5].map { 2 * $0 + 1 })

    /// The default, for a room: a token's 52 tones in 1.109 s.
    public static let standard = Profile(
        name: "standard", lowestHertz: 18_500, bandwidthHertz: 1_500,
        code: TrellisCode(memoryBits: 10, generators: [0o4167, 0o2022, 0o1135, 0o503, 0o333]),
        syncTones: [2, 5, 0, 6, 4, 1, 3, 7].map { 4 * $0 + 2 })

    /// For a large room or around a corner: a token's 52 tones in 2.219 s.
    public static let far = Profile(
        name: "far", lowestHertz: 18_500, bandwidthHertz: 1_500,
        code: TrellisCode(memoryBits: 10, generators: [0o4050, 0o2034, 0o1057, 0o471, 0o201, 0o103]),
        syncTones: [5, 2, 7, 1, 3, 6, 4, 0].map { 8 * $0 + 4 })

    /// All three profiles, shortest symbols first.
    public static let all: [Profile] = [.fast, .standard, .far]

    /// The profile with that name; nil if there is none.
    public static func named(_ name: String) -> Profile? {
        all.first { $0.name == name }
    }
}
