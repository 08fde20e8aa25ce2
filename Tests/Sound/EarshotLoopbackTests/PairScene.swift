import EarshotChannel
import EarshotDSP
import EarshotLoopback
import RealModule

/// A sweep recorded through a made-up path: a second of quiet, the sweep, half a second of quiet.
struct PairScene {
    var sampleRateHertz = 48_000
    /// The amplitude of the sweep as played.
    var amplitude: Float = 0.25
    /// The effect of the path on it.
    var path: ([Float]) -> [Float] = { $0 }
    /// The power of a sine at the sweep's peak, as played, over the noise in 1,500 Hz; nil is no noise.
    var snrDecibels: Double? = 40
    /// The sample at which the sweep starts.
    var startSample = 60_000
    var seed: UInt64 = 1

    func sweep() throws -> Sweep { try Sweep(sampleRateHertz: sampleRateHertz, amplitude: amplitude) }

    func recording() throws -> [Float] {
        var samples = [Float](repeating: 0, count: startSample)
        samples += path(try sweep().samples)
        samples += [Float](repeating: 0, count: sampleRateHertz / 2)
        if let snrDecibels {
            var noise = WhiteNoise(seed: seed)
            noise.add(
                to: &samples,
                deviation: WhiteNoise.deviation(
                    amplitude: amplitude, snrDecibels: snrDecibels, sampleRateHertz: sampleRateHertz))
        }
        return samples
    }

    /// Finds the sweep and measures.
    func report(_ change: ([Float]) -> [Float] = { $0 }) throws -> PairReport? {
        let (sweep, recording) = (try sweep(), change(try recording()))
        guard let arrival = SweepDetector(sweep).detect(in: recording) else { return nil }
        return try PairMeasurement.measure(
            recording: recording, sampleRateHertz: sampleRateHertz, sweep: sweep, arrival: arrival,
            quiet: 1_000..<startSample - 1_000, playedAtSample: Double(startSample))
    }

    /// A windowed sinc: half amplitude at `hertz`, gone 200 Hz above, as in a good resampler. Its delay is 512 samples.
    static func lowpass(_ hertz: Double, sampleRateHertz: Int) -> ([Float]) -> [Float] {
        let window = KaiserWindow(attenuationDecibels: 60)
        let cutOff = 2 * hertz / Double(sampleRateHertz)
        let taps = (-512...512).map { n in
            let u = Double(n)
            let sinc = n == 0 ? cutOff : .sin(.pi * cutOff * u) / (.pi * u)
            return Float(sinc * window(u / 513))
        }
        return { convolve($0, taps) }
    }
}
