/// Who found and lost whom in a simulated room.
package struct RoomFindings: Sendable {
    /// When a talker was found first by a listener, nil where it was not; shape [talkers][listeners].
    package private(set) var foundSeconds: [[Double?]]
    /// When a listener lost a talker that was gone; shape [talkers][listeners].
    package private(set) var lostSeconds: [[Double?]]
    /// Losses of talkers that were still there.
    package private(set) var falseLosses: [Double] = []
    /// Seconds on the air; shape [devices].
    package internal(set) var talkSeconds: [Double]
    /// When each ended its last talk; shape [devices].
    package internal(set) var lastTalkEndSeconds: [Double]

    init(deviceCount: Int) {
        let none = [[Double?]](repeating: [Double?](repeating: nil, count: deviceCount), count: deviceCount)
        (foundSeconds, lostSeconds) = (none, none)
        talkSeconds = [Double](repeating: 0, count: deviceCount)
        lastTalkEndSeconds = talkSeconds
    }

    mutating func found(_ talker: Int, by listener: Int, atSeconds seconds: Double) {
        if foundSeconds[talker][listener] == nil { foundSeconds[talker][listener] = seconds }
    }

    mutating func lost(_ talker: Int, by listener: Int, atSeconds seconds: Double, isGone: Bool) {
        if isGone { lostSeconds[talker][listener] = seconds } else { falseLosses.append(seconds) }
    }

    /// When a share of some ordered pairs had found each other; nil where it did not come to that.
    package func seconds(
        share: Double, where isMeant: (_ talker: Int, _ listener: Int) -> Bool = { _, _ in true }
    ) -> Double? {
        var times: [Double?] = []
        for talker in foundSeconds.indices {
            for listener in foundSeconds.indices where talker != listener && isMeant(talker, listener) {
                times.append(foundSeconds[talker][listener])
            }
        }
        let count = Int((share * Double(times.count)).rounded(.up))
        let found = times.compactMap(\.self).sorted()
        return found.count >= count && count > 0 ? found[count - 1] : nil
    }
}
