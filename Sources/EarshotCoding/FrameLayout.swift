/// How many tones of which kind a frame has, and where they stand.
///
///     token (8 bytes):      S S S S S S S S  D D D … D            8 sync, 44 data
///     any other payload:    S S S S S S S S  H H H H H H  D … D   8 sync, 6 length header, 4·bytes + 12 data
///
/// One data tone carries one step of the trellis code, two bits of payload and check; see `TrellisCode`.
public struct FrameLayout: Equatable, Sendable {
    /// Goes into every frame's CRC; changes when the air format does.
    public static let protocolVersion: UInt8 = 1
    /// Tones of the sync pattern, at the start of every frame.
    public static let syncToneCount = 8
    /// Silent tones' worth of time between the frames of a burst: their echoes die away, and a token's spacing becomes 56
    /// tones, seven sync patterns.
    public static let burstGapToneCount = 4
    /// From the start of a frame of a burst to that of the next.
    public static let burstSpacingToneCount = token.toneCount + burstGapToneCount
    /// How many frames a burst may have.
    public static let burstCounts = 2...8
    /// Bits of the CRC, which follow the payload's.
    public static let checkBitCount = 24
    /// Bits that one data tone advances the frame by.
    public static let bitsPerStep = 2

    /// Bytes of payload.
    public let payloadByteCount: Int

    /// The layout of a frame with `payloadByteCount` bytes, which must be in `Payload.validCounts`.
    public init(payloadByteCount: Int) {
        precondition(Payload.validCounts.contains(payloadByteCount), "payload of \(payloadByteCount) bytes")
        self.payloadByteCount = payloadByteCount
    }

    /// The layout of a token's frame.
    public static let token = FrameLayout(payloadByteCount: Payload.tokenCount)
    /// The layout with the most tones.
    public static let longest = FrameLayout(payloadByteCount: Payload.validCounts.upperBound)
    /// The layout with the fewest tones.
    public static let shortest = FrameLayout(payloadByteCount: Payload.validCounts.lowerBound)

    /// Tones of the length header: none for a token.
    public var headerToneCount: Int {
        payloadByteCount == Payload.tokenCount ? 0 : LengthHeader.toneCount
    }

    /// Tones of data: one trellis step each.
    public var dataToneCount: Int {
        (8 * payloadByteCount + FrameLayout.checkBitCount) / FrameLayout.bitsPerStep
    }

    /// The place of the first data tone, counted from the frame's first tone.
    public var firstDataTone: Int {
        FrameLayout.syncToneCount + headerToneCount
    }

    /// All tones of the frame.
    public var toneCount: Int {
        firstDataTone + dataToneCount
    }
}
