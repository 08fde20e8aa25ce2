/// The tones of a frame: how many there are of each kind, and where they stand.
///
///     token (8 bytes):      S S S S S S S S  D D D … D            8 sync, 44 data
///     any other payload:    S S S S S S S S  H H H H H H  D … D   8 sync, 6 length header, 4·bytes + 12 data
///
/// One data tone carries one step of the trellis code, two bits of payload and check; see `TrellisCode` and `ToneInterleaver`.
public struct FrameLayout: Equatable, Sendable {
    /// The version of the air format, which goes into every frame's CRC. Version 1 sent the payload as it is, without
    /// `PayloadMixer`; version 2 sent the data tones in the code's order, without `ToneInterleaver`.
    public static let protocolVersion: UInt8 = 3
    /// The number of tones in the sync pattern, at the start of every frame.
    public static let syncToneCount = 8
    /// The silence between the frames of a burst, in tones: echoes die away meanwhile, and a token's spacing becomes 56 tones,
    /// seven sync patterns.
    public static let burstGapToneCount = 4
    /// The distance from the start of a frame of a burst to the start of the next, in tones.
    public static let burstSpacingToneCount = token.toneCount + burstGapToneCount
    /// The numbers of frames that a burst may have.
    public static let burstCounts = 2...8
    /// The number of bits in the CRC, which follow the payload's bits.
    public static let checkBitCount = 24
    /// The number of payload and check bits that one data tone carries.
    public static let bitsPerStep = 2

    /// The number of bytes in the payload, in `Payload.validCounts`.
    public let payloadByteCount: Int

    /// The layout of a frame.
    /// - Parameter payloadByteCount: the payload's bytes, in `Payload.validCounts`.
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

    /// The number of tones in the length header: 6, or 0 for a token.
    public var headerToneCount: Int {
        payloadByteCount == Payload.tokenCount ? 0 : LengthHeader.toneCount
    }

    /// The number of data tones, one for each trellis step.
    public var dataToneCount: Int {
        (8 * payloadByteCount + FrameLayout.checkBitCount) / FrameLayout.bitsPerStep
    }

    /// The place of the first data tone, counted from the frame's first tone.
    public var firstDataTone: Int {
        FrameLayout.syncToneCount + headerToneCount
    }

    /// The number of tones in the frame.
    public var toneCount: Int {
        firstDataTone + dataToneCount
    }
}
