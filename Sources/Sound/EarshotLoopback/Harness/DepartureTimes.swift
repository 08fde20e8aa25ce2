/// The times when the first sample of each token was played, from occasional reports of the position of playback.
struct DepartureTimes {
    /// The number of samples played.
    private(set) var sampleCount = 0
    /// The known times; shape [at most all sendings].
    private(set) var seconds: [Double] = []

    private let starts: [Int]
    private let sampleRateHertz: Double

    init(_ program: LoopbackProgram) {
        starts = program.sendings.map(\.samples.lowerBound)
        sampleRateHertz = Double(program.sampleRateHertz)
        seconds.reserveCapacity(starts.count)
    }

    /// Adds a report: at `time`, `count` samples had been played. It gives a time to the token that starts nearest
    /// before that.
    mutating func note(_ count: Int, atSeconds time: Double) {
        sampleCount = max(sampleCount, count)
        while seconds.count < starts.count, starts[seconds.count] <= count {
            seconds.append(time - Double(count - starts[seconds.count]) / sampleRateHertz)
        }
    }
}
