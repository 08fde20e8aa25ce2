import EarshotChannel
import EarshotModem

/// A receiver's results on one kind of sound.
struct HeardSound: Sendable {
    var hours = 0.0
    var statistics = ReceiverStatistics()
    /// Reports of frames that were sent.
    var rightCount = 0
    /// Reports of frames that were not sent.
    var wrongFrames: [ReceivedFrame] = []

    /// Runs of the trellis decoder on candidates.
    var attemptCount: Int {
        statistics.rejectedByPathMetric + statistics.rejectedByEvidence + statistics.rejectedByCheck
            + statistics.frames + statistics.duplicates
    }

    mutating func add(_ other: HeardSound) {
        hours += other.hours
        statistics.candidates += other.statistics.candidates
        statistics.rejectedByPathMetric += other.statistics.rejectedByPathMetric
        statistics.rejectedByEvidence += other.statistics.rejectedByEvidence
        statistics.rejectedByCheck += other.statistics.rejectedByCheck
        statistics.frames += other.statistics.frames
        statistics.duplicates += other.statistics.duplicates
        rightCount += other.rightCount
        wrongFrames += other.wrongFrames
    }
}

/// Listens to `hours` of each kind, in parts of at most a quarter of an hour. Each part has a receiver and a seed of
/// its own, so the results do not depend on the threads.
func listen(to kinds: [SoundKind], hours: Double, seed: UInt64, threadCount: Int? = nil) throws -> [HeardSound] {
    let partCount = Int((4 * hours).rounded(.up))
    let partHours = hours / Double(partCount)
    let progress = Progress("false tokens", total: kinds.count * partCount)
    let parts = try concurrently(
        kinds.count * partCount, threadCount: threadCount, onFinished: { progress.update($0) }
    ) { index in
        let kind = kinds[index / partCount]
        let partSeed = derivedSeed(seed &+ UInt64(index % partCount) &* 0x1_0000_0001, kind.name)
        return try listen(to: kind, hours: partHours, seed: partSeed)
    }
    return kinds.indices.map { kind in
        parts[kind * partCount..<(kind + 1) * partCount].reduce(into: HeardSound()) { $0.add($1) }
    }
}

private func listen(to kind: SoundKind, hours: Double, seed: UInt64) throws -> HeardSound {
    var receiver = try Receiver(sampleRateHertz: kind.sampleRateHertz)
    var source = kind.make(seed)
    var heard = HeardSound(hours: hours)
    var block = [Float](repeating: 0, count: 4_096)
    var left = Int(hours * 3_600 * Double(kind.sampleRateHertz))
    func judge(_ frame: ReceivedFrame) {
        if kind.hasFrames && SoundKind.wasSent(frame.payload) {
            heard.rightCount += 1
        } else {
            heard.wrongFrames.append(frame)
        }
    }
    while left > 0 {
        var span = block.mutableSpan
        let count = min(source.read(into: &span), left)
        guard count > 0 else { break }
        receiver.push(block.span.extracting(0..<count), onFrame: judge)
        left -= count
    }
    receiver.flush(onFrame: judge)
    heard.statistics = receiver.statistics
    return heard
}
