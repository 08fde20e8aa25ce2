import EarshotChannel
import EarshotDSP
import EarshotModem
import Foundation

/// The spectrogram of each profile's search, and the tone energies of a frame's symbols.
let spectrumKernels =
    Profile.all.map { profile in
        KernelMeasurement(name: "short-time spectrum, `\(profile.name)`") {
            // The twin takes N times as many products.
            measureSpectrum(profile, minimumRatio: profile.toneCount > 32 ? 55 : 10)
        }
    } + [KernelMeasurement(name: "tone energies of a symbol, `standard`") { measureToneEnergies() }]

func complexNoise(_ count: Int, seed: UInt64) -> [ComplexSample] {
    var noise = WhiteNoise(seed: seed)
    return (0..<count).map { _ in ComplexSample(noise.next(), noise.next()) }
}

private func measureSpectrum(_ profile: Profile, minimumRatio: Double) -> KernelResult {
    let window = 2 * profile.toneCount
    let hop = window / 4
    // Offsets of 0.5 % on both sides, by half tone spacings: as in `SyncSearch`.
    let offsets = Int((2 * 0.005 * 19_250 / profile.toneSpacingHertz).rounded(.up))
    let highestBin = profile.toneCount - 1 + offsets
    let rowCount = 32
    var spectrum = ShortTimeSpectrum(windowLength: window, hop: hop, rowCount: rowCount, highestBin: highestBin)
    let callCount = 128 / rowCount
    let x = complexNoise((128 - 1) * hop + window, seed: 3)
    let (inputCount, rowStride) = (spectrum.inputCount, spectrum.rowStride)
    var rows = [Float](repeating: 0, count: 128 * rowStride)
    var naive: [Float] = []
    return compare(
        unit: "row", unitCount: 128, minimumRatio: minimumRatio, tolerance: 1e-4,
        kernel: {
            for call in 0..<callCount {
                let first = call * rowCount * hop
                spectrum.process(
                    x.span.extracting(first..<first + inputCount), into: &rows, from: call * rowCount * rowStride)
            }
        },
        twin: { naive = naiveSpectrum(x, window: window, hop: hop, rowCount: 128, highestBin: highestBin) },
        difference: {
            let binCount = 2 * highestBin + 1
            return relativeDifference((0..<128).flatMap { rows[$0 * rowStride..<$0 * rowStride + binCount] }, naive)
        })
}

/// E[row][bin] by the definition of `ShortTimeSpectrum`; shape [rowCount][2·highestBin + 1].
func naiveSpectrum(_ x: [ComplexSample], window: Int, hop: Int, rowCount: Int, highestBin: Int) -> [Float] {
    let roots = (0..<2 * window).map { n in
        let angle = -Float.pi * Float(n) / Float(window)
        return ComplexSample(cos(angle), sin(angle))
    }
    let scale = 1 / Float(window * window)
    let near = Float(0.45).squareRoot()
    // Odd bins, and two more of them on either side.
    let lowest = -(highestBin + 3) / 2 * 2 - 1
    var energies: [Float] = []
    for row in 0..<rowCount {
        var points: [ComplexSample] = []
        for bin in stride(from: lowest, through: -lowest, by: 2) {
            var sum = ComplexSample()
            for n in 0..<window {
                sum += x[row * hop + n].times(roots[(bin + 4 * window) * n % (2 * window)])
            }
            points.append(sum)
        }
        for bin in -highestBin...highestBin {
            let place = (bin - lowest) / 2
            let point =
                bin % 2 != 0
                ? points[place]
                : near * (points[place] - points[place + 1]) + near / 3 * (points[place - 1] - points[place + 2])
            energies.append(scale * point.power)
        }
    }
    return energies
}

/// The computation of the internal `ToneEnergies`, from public parts: it removes the offset by
/// mixing, and takes one FFT for all tones.
private func measureToneEnergies() -> KernelResult {
    let (toneCount, length, symbolCount) = (32, 64, 52)
    let x = complexNoise(symbolCount * length, seed: 4)
    let offset: Float = 0.003
    var mixer = ToneCorrelator(length: length)
    var transform = FFTPlan(length: length)
    var energies = [Float](repeating: 0, count: symbolCount * toneCount)
    var naive = energies
    let scale = 1 / Float(length * length)
    return compare(
        unit: "symbol", unitCount: 20 * symbolCount, minimumRatio: 10, tolerance: 1e-3,
        kernel: {
            for _ in 0..<20 {
                mixer.tune(cyclesPerSample: offset + 0.5 / Float(length))
                for symbol in 0..<symbolCount {
                    transform.withMutableSamples { input in
                        mixer.mix(x.span.extracting(symbol * length..<(symbol + 1) * length), into: &input)
                    }
                    transform.forward()
                    transform.withSpectrum { spectrum in
                        for tone in 0..<toneCount {
                            let bin = (tone + length - toneCount / 2) % length
                            energies[symbol * toneCount + tone] = scale * spectrum[bin].power
                        }
                    }
                }
            }
        },
        twin: {
            for _ in 0..<20 {
                for tone in 0..<toneCount {
                    let cyclesPerSample = offset + (Float(tone - toneCount / 2) + 0.5) / Float(length)
                    let reference = (0..<length).map { n in
                        let angle = -2 * Float.pi * cyclesPerSample * Float(n)
                        return ComplexSample(cos(angle), sin(angle))
                    }
                    for symbol in 0..<symbolCount {
                        var sum = ComplexSample()
                        for n in 0..<length {
                            sum += x[symbol * length + n].times(reference[n])
                        }
                        naive[symbol * toneCount + tone] = scale * sum.power
                    }
                }
            }
        },
        difference: { relativeDifference(energies, naive) })
}
