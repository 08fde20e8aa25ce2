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
/// See `docs/PROTOCOL.md`.
public struct Profile: Sendable, Identifiable {
    /// The name that users type: "fast", "standard", "far".
    public let name: String
    /// The lower edge of the band.
    public let lowestHertz: Int
    /// The width of the band.
    public let bandwidthHertz: Int
    /// The code whose output is the tone; it says how many tones there are.
    public let code: TrellisCode
    /// The tones every frame starts with; shape [FrameLayout.syncToneCount].
    public let syncTones: [Int]
    /// A frequency step is smeared by a Gaussian of this many symbols' standard deviation (3σ = T/8).
    public let stepDeviationSymbols: Double
    /// The raised-cosine fade at either end of a frame, inside the frame.
    public let rampSeconds: Double
    /// The largest frequency offset, relative to the carrier, that a receiver looks for: Doppler and clock error.
    public let maximumOffset: Double

    /// Checks the numbers against each other; a contradiction among them is a programming error.
    public init(
        name: String, lowestHertz: Int, bandwidthHertz: Int, code: TrellisCode, syncTones: [Int],
        stepDeviationSymbols: Double = 1.0 / 24, rampSeconds: Double = 0.005, maximumOffset: Double = 0.005
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
            rampSeconds >= 0.005 && rampSeconds <= Double(code.toneCount) / Double(bandwidthHertz),
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
    /// M.
    public var toneCount: Int { code.toneCount }
    /// T = M / bandwidth.
    public var symbolSeconds: Double { Double(toneCount) / Double(bandwidthHertz) }
    /// 1 / T.
    public var toneSpacingHertz: Double { Double(bandwidthHertz) / Double(toneCount) }
    /// The middle of the band.
    public var centreHertz: Int { lowestHertz + bandwidthHertz / 2 }
    /// The upper edge of the band.
    public var highestHertz: Int { lowestHertz + bandwidthHertz }

    /// Where tone m lies: lowest + (m + ½)·spacing.
    public func toneHertz(_ m: Int) -> Double {
        Double(lowestHertz) + (Double(m) + 0.5) * toneSpacingHertz
    }

    /// How long the frame of a payload is on the air, ramps included.
    public func frameSeconds(payloadByteCount: Int) -> Double {
        Double(FrameLayout(payloadByteCount: payloadByteCount).toneCount) * symbolSeconds
    }

    /// The length of a burst of `frameCount` tokens, from the first frame's start to the last one's end; of one, that of a frame.
    public func burstSeconds(frameCount: Int) -> Double {
        Double((frameCount - 1) * FrameLayout.burstSpacingToneCount + FrameLayout.token.toneCount) * symbolSeconds
    }
}

extension Profile: CustomStringConvertible {
    /// The same as `name`.
    public var description: String { name }
}

extension Profile {
    /// Short: arm's length, line of sight. 52 tones in 0.555 s.
    public static let fast = Profile(
        name: "fast", lowestHertz: 18_500, bandwidthHertz: 1_500,
        code: TrellisCode(memoryBits: 10, generators: [0o4224, 0o2174, 0o1065, 0o457]),
        syncTones: [0, 4, 6, 3, 1, 7, 2, 5].map { 2 * $0 + 1 })

    /// The default: a room. 52 tones in 1.109 s.
    public static let standard = Profile(
        name: "standard", lowestHertz: 18_500, bandwidthHertz: 1_500,
        code: TrellisCode(memoryBits: 10, generators: [0o4167, 0o2022, 0o1135, 0o503, 0o333]),
        syncTones: [2, 5, 0, 6, 4, 1, 3, 7].map { 4 * $0 + 2 })

    /// Far: across a large room, around a corner. 52 tones in 2.219 s.
    public static let far = Profile(
        name: "far", lowestHertz: 18_500, bandwidthHertz: 1_500,
        code: TrellisCode(memoryBits: 10, generators: [0o4050, 0o2034, 0o1057, 0o471, 0o201, 0o103]),
        syncTones: [5, 2, 7, 1, 3, 6, 4, 0].map { 8 * $0 + 4 })

    /// All profiles, shortest symbols first.
    public static let all: [Profile] = [.fast, .standard, .far]

    /// The profile with that name, or nil.
    public static func named(_ name: String) -> Profile? {
        all.first { $0.name == name }
    }
}
