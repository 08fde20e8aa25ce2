import EarshotChannel
import Foundation

/// Noise whose density is level, or falls by 3 or 6 dB an octave. To be replaced by EarshotChannel's.
struct Noise: SoundSource {
    enum Colour { case white, pink, brown }

    private let colour: Colour
    private let deviation: Float
    private var white: WhiteNoise
    private var poles = SIMD3<Float>()

    init(colour: Colour, deviation: Float, sampleRateHertz: Int, seed: UInt64) {
        self.colour = colour
        self.deviation = deviation
        white = WhiteNoise(seed: seed)
    }

    mutating func read(into block: inout MutableSpan<Float>) -> Int {
        for index in block.indices {
            let sample = white.next()
            switch colour {
            case .white: block[index] = deviation * sample
            case .pink:
                // Three poles whose sum falls by 3 dB an octave within half a decibel (Kellet's economy filter).
                poles = SIMD3(0.997_65, 0.963, 0.57) * poles + SIMD3(0.099_046, 0.296_516_4, 1.052_691_3) * sample
                block[index] = 0.3 * deviation * (poles.sum() + 0.184_8 * sample)
            case .brown:
                // One pole at 0.02·F/2π, 153 Hz.
                poles.x += 0.02 * (sample - poles.x)
                block[index] = 10 * deviation * poles.x
            }
        }
        return block.count
    }
}

/// A steady sine. To be replaced by EarshotChannel's.
struct PilotTone: SoundSource {
    private let step: ComplexTurn
    private var phase = ComplexTurn(turns: 0)
    private let amplitude: Float

    init(hertz: Double, amplitude: Float, sampleRateHertz: Int) {
        step = ComplexTurn(turns: hertz / Double(sampleRateHertz))
        self.amplitude = amplitude
    }

    mutating func read(into block: inout MutableSpan<Float>) -> Int {
        for index in block.indices {
            block[index] = amplitude * Float(phase.real)
            phase.turn(by: step)
        }
        return block.count
    }

    private struct ComplexTurn {
        var real: Double
        var imaginary: Double

        init(turns: Double) {
            real = cos(2 * .pi * turns)
            imaginary = sin(2 * .pi * turns)
        }

        mutating func turn(by step: ComplexTurn) {
            // Held to the circle to first order, so that hours of it neither grow nor fade.
            let scale = 1.5 - 0.5 * (real * real + imaginary * imaginary)
            (real, imaginary) = (
                scale * (real * step.real - imaginary * step.imaginary),
                scale * (real * step.imaginary + imaginary * step.real)
            )
        }
    }
}

/// The sum of others, as long as the longest. To be replaced by EarshotChannel's.
struct Mix: SoundSource {
    private var sources: [any SoundSource]
    private var scratch: [Float] = []

    init(_ sources: [any SoundSource]) {
        self.sources = sources
    }

    mutating func read(into block: inout MutableSpan<Float>) -> Int {
        for index in block.indices {
            block[index] = 0
        }
        if scratch.count < block.count {
            scratch = [Float](repeating: 0, count: block.count)
        }
        var longest = 0
        // Taken out while it is written to, since `sources` is written to as well.
        var scratch = exchange(&self.scratch, with: [])
        for number in sources.indices {
            var all = scratch.mutableSpan
            var part = all._mutatingExtracting(0..<block.count)
            let count = sources[number].read(into: &part)
            for index in 0..<count {
                block[index] += part[index]
            }
            longest = max(longest, count)
        }
        self.scratch = scratch
        return longest
    }
}
