import EarshotCoding

/// The latest reported frames, so that the receiver reports each frame on the air once, even if several candidates lead
/// to it.
struct RecentFrames {
    private struct Entry {
        var payload: Payload
        var profileIndex: Int
        var start: Double
    }

    private static let capacity = 64
    private var entries: [Entry] = []
    private var oldest = 0

    init() {
        entries.reserveCapacity(RecentFrames.capacity)
    }

    /// Whether it holds a frame of that profile that starts less than `distance` baseband samples away.
    func contains(profileIndex: Int, start: Double, within distance: Double) -> Bool {
        entries.contains { $0.profileIndex == profileIndex && abs($0.start - start) < distance }
    }

    /// Whether it holds this payload's frame, starting less than half a frame of `length` away.
    func contains(_ payload: Payload, profileIndex: Int, start: Double, length: Double) -> Bool {
        entries.contains {
            $0.payload == payload && $0.profileIndex == profileIndex && abs($0.start - start) < length / 2
        }
    }

    /// Stores a decoded frame, `length` baseband samples long.
    ///
    /// Two frames of one transmitter cannot overlap. So the same payload in the same profile, starting less than half a frame
    /// away from a known one, is the same frame: by an echo, or by a neighbouring candidate.
    /// - Returns: false if the frame is known already.
    mutating func insert(_ payload: Payload, profileIndex: Int, start: Double, length: Double) -> Bool {
        guard !contains(payload, profileIndex: profileIndex, start: start, length: length) else { return false }
        let entry = Entry(payload: payload, profileIndex: profileIndex, start: start)
        if entries.count < RecentFrames.capacity {
            entries.append(entry)
        } else {
            entries[oldest] = entry
            oldest = (oldest + 1) % RecentFrames.capacity
        }
        return true
    }
}
