import EarshotCoding

/// The frames reported last: so that each frame on the air is reported once however many candidates lead to it, and so
/// that its tones are not taken for somebody else's.
struct RecentFrames {
    private struct Entry {
        var payload: Payload
        var profileIndex: Int
        var format: BasebandFormat
        var start: Double
        var offsetHertz: Float
        var tones: [Int]

        var symbolLength: Double { format.symbolLength(offsetHertz: offsetHertz) }
        var length: Double { Double(tones.count) * symbolLength }
    }

    /// A tone's echo counts as that tone for so many seconds: by then a room of RT60 0.3 s has lost 10 dB.
    private static let echoSeconds = 0.05
    private static let capacity = 64
    private var entries: [Entry] = []
    private var oldest = 0

    init() {
        entries.reserveCapacity(RecentFrames.capacity)
    }

    /// Notes a decoded frame.
    ///
    /// Two frames of one transmitter cannot overlap. So the same payload in the same profile, starting less than half a
    /// frame away from one already there, is that one again: by an echo, or by a neighbouring candidate.
    /// - Returns: false if it is known already.
    mutating func insert(
        _ payload: Payload, profileIndex: Int, format: BasebandFormat, start: Double, offsetHertz: Float
    ) -> Bool {
        let entry = Entry(
            payload: payload, profileIndex: profileIndex, format: format, start: start, offsetHertz: offsetHertz,
            tones: FrameTones.tones(of: payload, profile: format.profile))
        for other in entries where other.payload == payload && other.profileIndex == profileIndex {
            if abs(other.start - start) < entry.length / 2 {
                return false
            }
        }
        if entries.count < RecentFrames.capacity {
            entries.append(entry)
        } else {
            entries[oldest] = entry
            oldest = (oldest + 1) % RecentFrames.capacity
        }
        return true
    }

    /// Whether a reported frame of the profile starts within `distance` baseband samples of `start`.
    func contains(profileIndex: Int, start: Double, within distance: Double) -> Bool {
        entries.contains { $0.profileIndex == profileIndex && abs($0.start - start) < distance }
    }

    /// Whether a reported frame, or its echo, sounds at that time and frequency.
    /// - Parameters:
    ///   - start, length: a symbol, in baseband samples.
    ///   - hertz: a tone of `spacingHertz`.
    func explain(start: Double, length: Double, hertz: Double, spacingHertz: Double) -> Bool {
        for entry in entries {
            let symbolLength = entry.symbolLength
            let echo = RecentFrames.echoSeconds * Double(entry.format.rateHertz)
            let first = Int(((start - echo - entry.start) / symbolLength).rounded(.down))
            let last = Int(((start + length - entry.start) / symbolLength).rounded(.down))
            guard last >= 0, first < entry.tones.count else { continue }
            let profile = entry.format.profile
            let reach = 0.75 * max(spacingHertz, profile.toneSpacingHertz)
            for symbol in max(first, 0)...min(last, entry.tones.count - 1) {
                let toneHertz = profile.toneHertz(entry.tones[symbol]) + Double(entry.offsetHertz)
                if abs(toneHertz - hertz) < reach { return true }
            }
        }
        return false
    }
}
