import EarshotDSP
import RealModule

/// The channel of a frame by least squares: a filter of `tapCount` taps at the baseband's rate.
///
///     Σₙ |x[n] − Σₖ h[k]·r[n − k + P]|² + Σₖ w·|h[k]|²  →  minimum,   k = 0 ..< L
///     R·h + w·h = c,   R[i − j] = Σₙ r*[n]·r[n + i − j],   c[k] = Σₙ r*[n]·x[n + k − P]
///
/// R is Toeplitz, because r ends on both sides. Correlations use FFTs of blocks, added in the frequency domain, so that
/// frames of any length share one transform. Conjugate gradients solve the equations; their products with R are
/// circular convolutions. The band fills half of the baseband, so half of R's eigenvalues are almost zero: the ridge w
/// keeps the taps finite there. No allocation after `init`.
struct ChannelFit: ~Copyable {
    /// L: the number of taps, 64 ms.
    static let tapCount = 248
    /// P: the number of taps before the frame's start.
    static let leadCount = 16
    /// w over R[0].
    static let ridge: Float = 1e-3

    private static let transformLength = 2_048
    private static let blockCount = transformLength - tapCount
    private static let productLength = 512
    private static let maximumIterationCount = 40
    /// The solver stops when the residual has this share of c: −60 dB.
    private static let tolerance: Float = 1e-6

    private var transform: FFTPlan
    private var product: FFTPlan
    private var blockSpectrum: [ComplexSample]
    private var autoSpectrum: [ComplexSample]
    private var crossSpectrum: [ComplexSample]
    private var toeplitzSpectrum: [ComplexSample]
    private var correlation: [ComplexSample]
    private var residual: [ComplexSample]
    private var direction: [ComplexSample]
    private var image: [ComplexSample]
    /// w; shape [L].
    private(set) var weights: [Float]
    private var replicaEnergy: Float = 0
    /// h; shape [L].
    private(set) var taps: [ComplexSample]
    /// z = h * r, from `firstIndex` on; undefined after `sampleCount`.
    private(set) var explained: [ComplexSample]
    private(set) var firstIndex = 0
    private(set) var sampleCount = 0

    /// A fit for replicas of at most `maximumSampleCount` samples.
    init(maximumSampleCount: Int) {
        transform = FFTPlan(length: ChannelFit.transformLength)
        product = FFTPlan(length: ChannelFit.productLength)
        blockSpectrum = [ComplexSample](repeating: ComplexSample(), count: ChannelFit.transformLength)
        autoSpectrum = [ComplexSample](repeating: ComplexSample(), count: ChannelFit.transformLength)
        crossSpectrum = [ComplexSample](repeating: ComplexSample(), count: ChannelFit.transformLength)
        toeplitzSpectrum = [ComplexSample](repeating: ComplexSample(), count: ChannelFit.productLength)
        correlation = [ComplexSample](repeating: ComplexSample(), count: ChannelFit.tapCount)
        residual = [ComplexSample](repeating: ComplexSample(), count: ChannelFit.tapCount)
        direction = [ComplexSample](repeating: ComplexSample(), count: ChannelFit.tapCount)
        image = [ComplexSample](repeating: ComplexSample(), count: ChannelFit.tapCount)
        weights = [Float](repeating: 0, count: ChannelFit.tapCount)
        taps = [ComplexSample](repeating: ComplexSample(), count: ChannelFit.tapCount)
        explained = [ComplexSample](repeating: ComplexSample(), count: maximumSampleCount + ChannelFit.tapCount)
    }

    /// Fits the channel between the replica and the history, and computes z.
    mutating func fit(
        _ replica: borrowing FrameReplica, _ history: BasebandHistory, reweighing: Bool = false
    ) {
        correlate(replica, history)
        if reweighing {
            for k in weights.indices {
                weights[k] = ChannelFit.ridge * replicaEnergy
            }
            solve()
            reweigh(replica, history)
        }
        solve()
        explain(replica)
    }

    // MARK: Correlations

    private mutating func correlate(_ replica: borrowing FrameReplica, _ history: BasebandHistory) {
        let (length, tapCount) = (ChannelFit.transformLength, ChannelFit.tapCount)
        for bin in 0..<length {
            autoSpectrum[bin] = ComplexSample()
            crossSpectrum[bin] = ComplexSample()
        }
        for first in stride(from: 0, to: replica.sampleCount, by: ChannelFit.blockCount) {
            let end = min(first + ChannelFit.blockCount, replica.sampleCount)
            replica.load(first..<end, into: &transform)
            transform.forward()
            transform.copySpectrum(into: &blockSpectrum)
            replica.load(first..<end + tapCount, into: &transform)
            transform.forward()
            transform.addSpectrum(timesConjugateOf: blockSpectrum, to: &autoSpectrum)
            let heard = replica.firstIndex + first - ChannelFit.leadCount
            history.load(heard..<heard + end - first + tapCount, into: &transform)
            transform.forward()
            transform.addSpectrum(timesConjugateOf: blockSpectrum, to: &crossSpectrum)
        }
        let scale = 1 / Float(length)
        transform.loadSpectrum(crossSpectrum)
        transform.inverse()
        transform.copySamples(0..<tapCount, scale: scale, into: &correlation)
        transform.loadSpectrum(autoSpectrum)
        transform.inverse()
        transform.copySamples(0..<tapCount, scale: scale, into: &image)
        embed()
    }

    /// The transform of R's first column, followed by its first row backwards: products with R are then circular.
    private mutating func embed() {
        let length = ChannelFit.productLength
        for n in 0..<length {
            toeplitzSpectrum[n] = ComplexSample()
        }
        toeplitzSpectrum[0] = image[0]
        replicaEnergy = image[0].x
        for lag in 1..<ChannelFit.tapCount {
            toeplitzSpectrum[lag] = image[lag]
            toeplitzSpectrum[length - lag] = image[lag].conjugate
        }
        product.load(toeplitzSpectrum, 0..<length)
        product.forward()
        product.copySpectrum(into: &toeplitzSpectrum)
    }

    // MARK: Solution

    private mutating func solve() {
        for k in taps.indices {
            taps[k] = ComplexSample()
            residual[k] = correlation[k]
            direction[k] = correlation[k]
        }
        var energy = power(residual)
        let enough = energy * ChannelFit.tolerance
        for _ in 0..<ChannelFit.maximumIterationCount where energy > enough {
            multiply()
            var curvature: Float = 0
            for k in direction.indices {
                curvature += direction[k].x * image[k].x + direction[k].y * image[k].y
            }
            guard curvature > 0 else { return }
            let step = energy / curvature
            for k in taps.indices {
                taps[k] += direction[k] * step
                residual[k] -= image[k] * step
            }
            let next = power(residual)
            let momentum = next / energy
            for k in direction.indices {
                direction[k] = residual[k] + direction[k] * momentum
            }
            energy = next
        }
    }

    private func power(_ values: [ComplexSample]) -> Float {
        var sum: Float = 0
        for k in values.indices {
            sum += values[k].power
        }
        return sum
    }

    /// image = (R + w)·direction.
    private mutating func multiply() {
        let (length, tapCount) = (ChannelFit.productLength, ChannelFit.tapCount)
        product.load(direction, 0..<tapCount)
        product.forward()
        product.multiplySpectrum(by: toeplitzSpectrum)
        product.inverse()
        product.copySamples(0..<tapCount, scale: 1 / Float(length), into: &image)
        for k in image.indices {
            image[k] += direction[k] * weights[k]
        }
    }

    private static let blocks = [
        0..<12, 12..<20, 20..<32, 32..<48, 48..<72, 72..<104, 104..<144, 144..<192, 192..<tapCount,
    ]

    /// Sets the weights by the first fit: the residual's power over that of the taps in each block.
    private mutating func reweigh(_ replica: borrowing FrameReplica, _ history: BasebandHistory) {
        let held = history.heldRange(
            replica.firstIndex..<replica.firstIndex + replica.sampleCount)
        let heard = history.withSamples(from: held.lowerBound, count: held.count) { x in
            var sum: Float = 0
            for n in x.indices {
                sum += x[n].power
            }
            return sum
        }
        var fitted: Float = 0
        for k in taps.indices {
            fitted += taps[k].x * correlation[k].x + taps[k].y * correlation[k].y
        }
        // Digital silence has no channel.
        guard heard > 0 else { return }
        let noise = max(heard - fitted, 1e-6 * heard) / Float(max(held.count, 1))
        let variance = noise / replicaEnergy
        for block in ChannelFit.blocks {
            var power: Float = 0
            for k in block {
                power += taps[k].power
            }
            let prior = max(power / Float(block.count) - variance, 0.02 * variance)
            for k in block {
                weights[k] = max(noise / prior, ChannelFit.ridge * replicaEnergy)
            }
        }
    }

    // MARK: Explained signal

    private mutating func explain(_ replica: borrowing FrameReplica) {
        let (length, tapCount) = (ChannelFit.transformLength, ChannelFit.tapCount)
        firstIndex = replica.firstIndex - ChannelFit.leadCount
        sampleCount = replica.sampleCount + tapCount - 1
        transform.load(taps, 0..<tapCount)
        transform.forward()
        transform.copySpectrum(into: &blockSpectrum)
        for first in stride(from: 0, to: sampleCount, by: ChannelFit.blockCount) {
            replica.load(first - tapCount..<first + ChannelFit.blockCount, into: &transform)
            transform.forward()
            transform.multiplySpectrum(by: blockSpectrum)
            transform.inverse()
            let count = min(ChannelFit.blockCount, sampleCount - first)
            transform.copySamples(tapCount..<tapCount + count, scale: 1 / Float(length), into: &explained, at: first)
        }
    }

    /// The rate at which the phase of the history drifts from z, in turns a sample.
    func drift(_ history: BasebandHistory, partCount: Int) -> Double {
        let held = history.heldRange(firstIndex..<firstIndex + sampleCount)
        let length = sampleCount / partCount
        var previous = ComplexSample()
        var sum = ComplexSample()
        for part in 0..<partCount {
            let first = firstIndex + part * length
            guard first >= held.lowerBound, first + length <= held.upperBound else { continue }
            let explained = explained
            let here = history.withSamples(from: first, count: length) { x in
                let model = explained.span.extracting(part * length..<(part + 1) * length)
                var sum = ComplexSample()
                for n in x.indices {
                    sum += x[n].times(model[n].conjugate)
                }
                return sum
            }
            sum += here.times(previous.conjugate)
            previous = here
        }
        return sum == ComplexSample() ? 0 : Double(Float.atan2(y: sum.y, x: sum.x)) / (2 * .pi) / Double(length)
    }
}
