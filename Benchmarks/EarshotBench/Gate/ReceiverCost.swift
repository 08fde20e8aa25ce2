import EarshotBenchmark
import EarshotChannel
import EarshotCoding
import EarshotModem
import EarshotTrials

/// The receiver's time for a stretch of sound over that of a fixed loop in the same run. So the speed of the machine
/// and its other work cancel out.
struct ReceiverCost: Sendable {
    var name: String
    /// The gate's limit, 1.5 times the value of two busy cores. Idle cores have 0.57 and 0.91. Other work raises that
    /// by up to a half, because it slows the receiver more than the loop, which needs no cache: 0.57·1.5·1.5 = 1.3,
    /// and 2.0.
    var most: Double
    private var makeSamples: @Sendable () throws -> [Float]

    static let all = [
        ReceiverCost(name: "time of the receiver, noise", most: 1.3) { noise() },
        ReceiverCost(name: "time of the receiver, a token every 2 s", most: 2) {
            var samples = noise()
            let token = try Transmitter(sampleRateHertz: 48_000)
                .samples(Payload(hex: "0123456789abcdef"), amplitude: 0.01)
            for second in stride(from: 0, to: 10, by: 2) {
                for index in token.indices {
                    samples[48_000 * second + 20_000 + index] += token[index]
                }
            }
            return samples
        },
        // Twenty times real time, the promise, is 700 loops: the loop takes 0.71 ms of an idle core of this kind. The
        // budget of decoding work, 28 ms a second, is 400 loops. `earshot-bench worst` searches for worse sounds.
        ReceiverCost(name: "time of the receiver, hostile sync patterns", most: 700) {
            HostileSound.syncPatterns.samples(seconds: 10, sampleRateHertz: 48_000)
        },
    ]

    private static func noise() -> [Float] {
        var noise = WhiteNoise(seed: 41)
        // 0 dB SNR for the tokens.
        let deviation = WhiteNoise.deviation(amplitude: 0.01, snrDecibels: 0, sampleRateHertz: 48_000)
        return (0..<480_000).map { _ in deviation * noise.next() }
    }

    func measure() throws -> Double {
        let samples = try makeSamples()
        let listening = try Listening()
        let loop = ReferenceLoop(samples)
        let seconds = minimumSeconds(runs: 9) {
            listening.push(samples)
        } _: {
            loop.run()
        }
        return seconds.first / seconds.second
    }
}
