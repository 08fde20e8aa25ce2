import EarshotDSP
import RealModule

/// The signal of a modem, measured on the sound of several tokens.
struct PeerWaveform: Codable {
    var secondsOnAir = 0.0
    /// Peak to mean power of a token, the mean in decibels; a sine has 3.0.
    var papr = 0.0
    /// The band with 99 % of the energy, without half a per cent at either end.
    var lowestHertz = 0.0
    var highestHertz = 0.0

    /// The distance of the mean power below that of a sine with the same peak.
    var backoffDecibels: Double { papr - 10 * .log10(2) }

    var bandHertz: ClosedRange<Double> { lowestHertz...highestHertz }

    init(_ peer: any Peer, tokenCount: Int = 16, seed: UInt64) throws {
        var spectrum: [Double] = []
        for index in 0..<tokenCount {
            let signal = try peer.encode(PeerAir.token(seed: seed &+ UInt64(index)))
            let peak = signal.reduce(0) { max($0, abs($1)) }
            let energy = signal.reduce(0) { $0 + Double($1) * Double($1) }
            guard energy > 0 else { throw PeerError("a silent waveform") }
            papr += 10 * .log10(Double(peak) * Double(peak) * Double(signal.count) / energy) / Double(tokenCount)
            secondsOnAir += Double(signal.count) / Double(PeerAir.sampleRateHertz) / Double(tokenCount)
            let power = Self.powerSpectrum(signal)
            if spectrum.isEmpty { spectrum = [Double](repeating: 0, count: power.count) }
            for bin in 0..<min(power.count, spectrum.count) {
                spectrum[bin] += power[bin]
            }
        }
        let binHertz = Double(PeerAir.sampleRateHertz) / 2 / Double(spectrum.count)
        let total = spectrum.reduce(0, +)
        func quantile(_ share: Double) -> Double {
            var sum = 0.0
            let bin = spectrum.firstIndex { power in
                sum += power
                return sum >= share * total
            }
            return Double(bin ?? spectrum.count) * binHertz
        }
        (lowestHertz, highestHertz) = (quantile(0.005), quantile(0.995))
    }

    /// |X[k]|² below half the sample rate.
    private static func powerSpectrum(_ signal: [Float]) -> [Double] {
        var length = 2
        while length < signal.count { length *= 2 }
        var plan = FFTPlan(length: length)
        plan.withMutableSamples { input in
            for index in signal.indices {
                input[index] = ComplexSample(signal[index], 0)
            }
        }
        plan.forward()
        var power: [Double] = []
        plan.withSpectrum { output in
            for bin in 0..<length / 2 {
                let value = output[bin]
                power.append(Double(value.x * value.x + value.y * value.y))
            }
        }
        return power
    }

    /// Eb/N0 at an SNR of the mean power: the energy of the whole signal over the bits of a token.
    func ebN0Decibels(meanSNRDecibels: Double) -> Double {
        meanSNRDecibels + 10 * .log10(1_500 * secondsOnAir / Double(8 * PeerAir.tokenByteCount))
    }
}
