import EarshotAudio
import EarshotBenchmark

extension Traffic {
    /// Writes it to a file, the same in every channel.
    /// - Returns: the number of tokens in it.
    func write(_ path: String, seconds: Int, as container: Recording.Container = Recording.Container()) throws -> Int {
        if container.isFLAC {
            try FLACFile.write(samples(seconds: seconds), to: path)
            return tokenCount(seconds: seconds)
        }
        let (rate, channelCount) = (container.sampleRateHertz, container.channelCount)
        var writer = try WAVWriter(
            path: path, sampleRateHertz: rate, channelCount: channelCount, format: container.format)
        try forEachPeriod(seconds: seconds, sampleRateHertz: rate) { samples in
            try writer.write(
                channelCount == 1 ? samples : samples.flatMap { [Float](repeating: $0, count: channelCount) })
        }
        try writer.finish()
        return tokenCount(seconds: seconds) * channelCount
    }
}
