import EarshotModem
import Glibc

/// How loud it was since the last report.
struct LevelMeter {
    let intervalFrameCount: Int
    let sampleRateHertz: Int
    private let meter = BandMeter()
    private var frameCount = 0
    private var peak: Float = 0

    init(intervalFrameCount: Int, sampleRateHertz: Int) {
        self.intervalFrameCount = intervalFrameCount
        self.sampleRateHertz = sampleRateHertz
    }

    /// Whether enough was taken in for a report.
    var isDue: Bool { frameCount >= intervalFrameCount }

    mutating func take(_ samples: Span<Float>, channelCount: Int) {
        frameCount += samples.count / channelCount
        for index in samples.indices { peak = max(peak, abs(samples[index])) }
    }

    func report(_ receivers: ReceiverBank, atSeconds: Double, ringFill: Double) -> LevelReport {
        let level = receivers.bandLevel(meter, seconds: Double(frameCount) / Double(sampleRateHertz))
        return LevelReport(
            atSeconds: atSeconds, bandDecibels: level.bandDecibels, noiseDecibels: level.noiseDecibels,
            peakDecibels: 20 * log10(Double(max(peak, 1e-9))), ringFill: ringFill)
    }

    mutating func restart() {
        frameCount = 0
        peak = 0
    }
}
