import EarshotBenchmark

/// The receiver's time for traffic over its time for as much noise in the same run. The speed of the machine and of the
/// search cancel out, so only the work for tokens counts.
struct TrafficCost: Sendable {
    var name: String
    /// The gate's limit.
    var maximum: Double
    private var traffic: Traffic

    /// Goals, in multiples of real time: noise 10,000, a token every 10 s at any level 8,000, every 2 s 5,000. So the
    /// tokens may cost 10,000/8,000 = 1.25 and 10,000/5,000 = 2.0 times as much as noise. The limits are a fifth
    /// higher, because the minimum of nine runs varies by a tenth on shared cores. A receiver that also searches the
    /// leakage of loud tokens takes 4 and 8 times as long.
    static let all = [
        TrafficCost(
            name: "time of the receiver, a token every 10 s at 60 dB", maximum: 1.5,
            traffic: .tokenEvery(10, snrDecibels: 60)),
        TrafficCost(
            name: "time of the receiver, a token every 2 s at 40 dB", maximum: 2.4,
            traffic: .tokenEvery(2, snrDecibels: 40)),
    ]

    private static let seconds = 30

    func measure() throws -> Double {
        let samples = try traffic.samples(seconds: Self.seconds)
        let noise = try Traffic.noise.samples(seconds: Self.seconds)
        let (listening, other) = (try Listening(), try Listening())
        let seconds = minimumSeconds(runs: 9) {
            listening.push(samples)
        } _: {
            other.push(noise)
        }
        return seconds.first / seconds.second
    }
}
