/// The tones of a frame: the number of each kind, and their places.
///
///     place                 0 1 2 3  4 5 6 7 8 9  10 11 12  13 14 15 16  17 …
///     token (8 bytes):      S S S S  D D D D D D   D  D  D   S  S  S  S  D … D    8 sync, 44 data
///     any other payload:    S S S S  H H H H H H   D  D  D   S  S  S  S  D … D    8 sync, 6 length header, 4·bytes + 12 data
///
/// The sync tones are in two groups, so that a frame whose beginning is cut still has one of them. One data tone
/// carries one step of the trellis code, two bits of the payload or the check; see `TrellisCode` and `ToneInterleaver`.
public struct FrameLayout: Equatable, Sendable {
    /// The version of the air format, which goes into every frame's CRC. Version 1 sent the payload unchanged, without
    /// `PayloadMixer`; version 2 sent the data tones in the code's order, without `ToneInterleaver`, and all sync tones
    /// first.
    public static let protocolVersion: UInt8 = 3
    /// The number of tones in the sync pattern, which every frame has.
    public static let syncToneCount = 8
    /// The number of sync tones in each of the pattern's two groups. The first group starts the frame.
    public static let syncGroupToneCount = 4
    /// The place of the second group's first tone: its tones come this many places after those of the first group.
    public static let secondSyncGroupPlace = 13
    /// The number of places between the groups.
    public static let syncGapToneCount = secondSyncGroupPlace - syncGroupToneCount
    /// The number of places from the first sync tone to the last: 17.
    public static let syncSpanToneCount = secondSyncGroupPlace + syncGroupToneCount
    /// The silence between the frames of a burst, in tones. Echoes decay in it, and the spacing of tokens is 56 tones,
    /// seven blocks of the receiver's search.
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

    /// The number of tones in the frame.
    public var toneCount: Int {
        FrameLayout.syncToneCount + headerToneCount + dataToneCount
    }

    // MARK: Places, counted from the frame's first tone

    /// The place of sync tone `index`, 0 ..< 8: 0 ... 3 and 13 ... 16.
    public static func syncPlace(_ index: Int) -> Int {
        index < syncGroupToneCount ? index : index - syncGroupToneCount + secondSyncGroupPlace
    }

    /// The number of the sync tone at a place; nil for other tones.
    public static func syncIndex(at place: Int) -> Int? {
        if place < syncGroupToneCount { return place }
        guard (secondSyncGroupPlace..<syncSpanToneCount).contains(place) else { return nil }
        return place - secondSyncGroupPlace + syncGroupToneCount
    }

    /// The place of length header tone `index`, 0 ..< 6: 4 ... 9.
    public static func headerPlace(_ index: Int) -> Int { placeBesidesSync(index) }

    /// The place of data tone `index`, 0 ..< `dataToneCount`.
    public func dataPlace(_ index: Int) -> Int { FrameLayout.placeBesidesSync(headerToneCount + index) }

    /// The place of tone `index` among those that are not sync tones.
    private static func placeBesidesSync(_ index: Int) -> Int {
        let place = index + syncGroupToneCount
        return place < secondSyncGroupPlace ? place : place + syncGroupToneCount
    }

    /// The tones of a frame in their places.
    /// - Parameters:
    ///   - sync: the sync tones; shape [syncToneCount].
    ///   - others: the header's tones, if any, and then any number of data tones; together at least `syncGapToneCount`.
    public static func arranged(sync: [Int], _ others: [Int]) -> [Int] {
        precondition(others.count >= syncGapToneCount, "\(others.count) tones beside the sync pattern")
        var tones: [Int] = []
        tones.reserveCapacity(sync.count + others.count)
        tones += sync.prefix(syncGroupToneCount)
        tones += others.prefix(syncGapToneCount)
        tones += sync.dropFirst(syncGroupToneCount)
        tones += others.dropFirst(syncGapToneCount)
        return tones
    }
}
