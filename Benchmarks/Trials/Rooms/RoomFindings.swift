/// The times at which the devices of a simulated room found and lost each other.
package struct RoomFindings: Sendable {
    /// The time at which a listener first found a talker, in seconds; nil if it did not; shape [talkers][listeners].
    package private(set) var foundSeconds: [[Double?]]
    /// The time at which a listener lost a talker that was gone, in seconds; shape [talkers][listeners].
    package private(set) var lostSeconds: [[Double?]]
    /// The times at which a listener lost a talker that was still there, in seconds.
    package private(set) var falseLosses: [Double] = []
    /// Seconds on the air; shape [devices].
    package internal(set) var talkSeconds: [Double]
    /// The end of each device's last talk, in seconds; shape [devices].
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

    /// The time at which a share of some ordered pairs had found each other, in seconds;
    /// nil if the share was not reached.
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
