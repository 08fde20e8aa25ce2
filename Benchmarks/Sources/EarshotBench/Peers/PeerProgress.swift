import Foundation

/// Says on standard error what is done and how long the rest will take.
struct PeerProgress {
    private let stageCount: Int
    private var doneCount = 0
    private let start = Date()

    init(modemCount: Int) {
        // White noise, motion, tone, throughput.
        stageCount = modemCount * (4 + PeerMeasurement.rooms.count)
    }

    mutating func stageDone(_ what: String) {
        doneCount += 1
        let elapsed = Date().timeIntervalSince(start)
        let left = elapsed / Double(doneCount) * Double(max(stageCount - doneCount, 0))
        let line = "\(what): \(decimal(elapsed, 0)) s, about \(decimal(left, 0)) s left\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
