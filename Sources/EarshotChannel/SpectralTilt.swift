import EarshotDSP
import RealModule

/// A loudspeaker or microphone that falls off: a gain that is linear in decibels over a band.
///
///     gain(f) = −tilt·(f − f₁)/(f₂ − f₁) dB,   0 below f₁, −tilt above f₂
///
/// Zero-phase, by one Fourier transform of the whole sound.
public struct SpectralTilt: Sendable {
    /// How much lower the band's upper edge is than its lower one.
    public let tiltDecibels: Double
    /// f₁ and f₂.
    public let bandHertz: ClosedRange<Double>

    /// See the properties of the same names.
    public init(tiltDecibels: Double, bandHertz: ClosedRange<Double> = 18_500...20_000) {
        self.tiltDecibels = tiltDecibels
        self.bandHertz = bandHertz
    }

    /// The tilted sound, as long as x.
    public func apply(to samples: [Float], sampleRateHertz: Int) -> [Float] {
        var length = 2
        while length < samples.count { length *= 2 }
        var plan = FFTPlan(length: length)
        plan.withInput { input in
            for index in 0..<length {
                input[index] = ComplexSample(index < samples.count ? samples[index] : 0, 0)
            }
        }
        plan.execute()
        var spectrum = [ComplexSample](repeating: ComplexSample(), count: length)
        plan.withOutput { output in
            for index in 0..<length {
                spectrum[index] = output[index]
            }
        }
        // Inverse by a forward transform of the conjugate.
        plan.withInput { input in
            for index in 0..<length {
                let hertz = Double(min(index, length - index)) * Double(sampleRateHertz) / Double(length)
                input[index] = spectrum[index] * ComplexSample(1, -1) * gain(hertz) / Float(length)
            }
        }
        plan.execute()
        var y = samples
        plan.withOutput { output in
            for index in y.indices {
                y[index] = output[index].x
            }
        }
        return y
    }

    private func gain(_ hertz: Double) -> Float {
        let place = (hertz - bandHertz.lowerBound) / (bandHertz.upperBound - bandHertz.lowerBound)
        return Float(Double.pow(10, -tiltDecibels * min(max(place, 0), 1) / 20))
    }
}
