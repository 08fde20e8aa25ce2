import EarshotModem
import Glibc

/// The level of the band since the last report, and the level without talkers: the quietest quarter of the last
/// seconds. A frame is on the air for less of the time, unless several devices take turns.
struct LevelMeter {
    private static let memorySeconds = 5.0

    let intervalFrameCount: Int
    let sampleRateHertz: Int
    private let meter = BandMeter()
    private var frameCount = 0
    private var peak: Float = 0
    /// The levels of the last reports, in a ring.
    private var levels: [Double] = []
    private var reportCount = 0
    private let levelCount: Int

    init(intervalFrameCount: Int, sampleRateHertz: Int) {
        self.intervalFrameCount = intervalFrameCount
        self.sampleRateHertz = sampleRateHertz
        levelCount = max(1, Int(Self.memorySeconds * Double(sampleRateHertz)) / intervalFrameCount)
    }

    /// Whether it has taken enough samples for a report.
    var isDue: Bool { frameCount >= intervalFrameCount }

    mutating func take(_ samples: Span<Float>, channelCount: Int) {
        frameCount += samples.count / channelCount
        for index in samples.indices { peak = max(peak, abs(samples[index])) }
    }

    mutating func report(_ receivers: ReceiverBank, atSeconds: Double, ringFill: Double) -> LevelReport {
        let level = receivers.bandDecibels(meter, seconds: Double(frameCount) / Double(sampleRateHertz))
        if levels.count < levelCount {
            levels.append(level)
        } else {
            levels[reportCount % levelCount] = level
        }
        reportCount += 1
        return LevelReport(
            atSeconds: atSeconds, bandDecibels: level, noiseDecibels: levels.sorted()[levels.count / 4],
            peakDecibels: 20 * log10(Double(max(peak, 1e-9))), ringFill: ringFill,
            isReceiving: receivers.isReceiving)
    }

    mutating func restart() {
        frameCount = 0
        peak = 0
    }
}
