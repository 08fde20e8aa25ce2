import EarshotCoding

/// The frames reported last, so that each frame on the air is reported once however many candidates lead to it.
///
/// Two frames of one transmitter cannot overlap. So the same payload in the same profile, starting less than half a
/// frame away from one already reported, is that one again: by an echo, or by a neighbouring candidate.
struct RecentFrames {
    private struct Entry {
        var payload: Payload
        var profileIndex: Int
        var start: Double
        var length: Double
    }

    private static let capacity = 64
    private var entries: [Entry] = []
    private var oldest = 0

    init() {
        entries.reserveCapacity(RecentFrames.capacity)
    }

    /// Notes a frame, in baseband samples.
    /// - Returns: false if it is known already.
    mutating func insert(_ payload: Payload, profileIndex: Int, start: Double, length: Double) -> Bool {
        for entry in entries where entry.payload == payload && entry.profileIndex == profileIndex {
            if abs(entry.start - start) < length / 2 {
                return false
            }
        }
        let entry = Entry(payload: payload, profileIndex: profileIndex, start: start, length: length)
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
}
