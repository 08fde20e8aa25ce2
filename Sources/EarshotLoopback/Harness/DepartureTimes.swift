/// When each token's first sample left, from now and then a report of how far playback was.
struct DepartureTimes {
    /// Samples that have left.
    private(set) var sampleCount = 0
    /// The times, as far as they are known; shape [at most all sendings].
    private(set) var seconds: [Double] = []

    private let starts: [Int]
    private let sampleRateHertz: Double

    init(_ program: LoopbackProgram) {
        starts = program.sendings.map(\.samples.lowerBound)
        sampleRateHertz = Double(program.sampleRateHertz)
        seconds.reserveCapacity(starts.count)
    }

    /// At `time`, `count` samples had left. The token that starts nearest before that is timed by this report.
    mutating func note(_ count: Int, atSeconds time: Double) {
        sampleCount = max(sampleCount, count)
        while seconds.count < starts.count, starts[seconds.count] <= count {
            seconds.append(time - Double(count - starts[seconds.count]) / sampleRateHertz)
        }
    }
}
