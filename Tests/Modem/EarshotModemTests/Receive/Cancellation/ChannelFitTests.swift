import EarshotChannel
import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// The fast fit, compared with the textbook's.
@Suite(.optimized) struct ChannelFitTests {
    /// A frame through three paths, in noise.
    private struct Scene: ~Copyable {
        let history = BasebandHistory(keptCount: 2_000)
        var replica = FrameReplica(profiles: Profile.all)
    }

    private func scene() throws -> Scene {
        let payload = try Payload([0x5A])
        var scene = Scene()
        var replica = FrameReplica(profiles: Profile.all)
        let tones = FrameTones.tones(of: payload, profile: .fast)
        replica.make(
            tones, symbolCount: tones.count, BasebandFormat(profile: .fast), start: 500, offsetHertz: 3)
        var noise = WhiteNoise(seed: 31)
        let paths = [(0, ComplexSample(0.7, 0.2)), (9, ComplexSample(-0.1, 0.4)), (60, ComplexSample(0.2, 0))]
        let received = (0..<1_600).map { index in
            paths.reduce(ComplexSample(noise.next(), noise.next()) * 0.05) { sum, path in
                let place = index - replica.firstIndex - path.0
                guard (0..<replica.sampleCount).contains(place) else { return sum }
                return sum + replica.samples[place].times(path.1)
            }
        }
        scene.history.append(received, 0..<received.count)
        scene.replica = replica
        return scene
    }

    /// The explained part of the frame differs from that of the dense solution in double precision by less than −40 dB.
    /// Conjugate gradients stop when −60 dB of the correlation remain.
    @Test func agreesWithTheDenseSolution() throws {
        let scene = try scene()
        var fit = ChannelFit(maximumSampleCount: scene.replica.samples.count)
        fit.fit(scene.replica, scene.history, reweighing: true)
        let r = (0..<scene.replica.sampleCount).map { ComplexDouble(scene.replica.samples[$0]) }
        let x = ReplicaScene.samples(scene.history, from: 0, count: 1_600).map { ComplexDouble($0) }
        let taps = Reference.leastSquares(
            x, r, first: scene.replica.firstIndex - ChannelFit.leadCount, weights: fit.weights.map(Double.init))
        var error = 0.0
        var power = 0.0
        for n in 0..<fit.sampleCount {
            var sum = ComplexDouble()
            for k in taps.indices where r.indices.contains(n - k) {
                sum += taps[k].times(r[n - k])
            }
            error += (ComplexDouble(fit.explained[n]) - sum).power
            power += sum.power
        }
        #expect(decibels(error / power) < -40, "\(decibels(error / power)) dB")
    }

    /// Subtracting the frame leaves the noise, 0.05 in either part, within 1 dB.
    @Test func leavesTheNoise() throws {
        let scene = try scene()
        var fit = ChannelFit(maximumSampleCount: scene.replica.samples.count)
        fit.fit(scene.replica, scene.history, reweighing: true)
        let stretch = fit.firstIndex..<min(fit.firstIndex + fit.sampleCount, scene.history.endIndex)
        scene.history.subtract(fit.explained, from: fit.firstIndex, stretch)
        let left = ReplicaScene.power(
            ReplicaScene.samples(scene.history, from: stretch.lowerBound, count: stretch.count))
        let noise = 2 * 0.05 * 0.05 * Double(stretch.count)
        #expect(abs(decibels(left / noise)) < 1, "\(decibels(left / noise)) dB")
    }
}

extension ComplexDouble {
    /// The same in double precision.
    init(_ z: ComplexSample) { self.init(Double(z.x), Double(z.y)) }
}

extension Reference {
    /// The h that minimises Σₙ |x[n] − Σₖ h[k]·r[n − first − k]|² + Σₖ w[k]·|h[k]|², by Gaussian
    /// elimination; w has one weight for each tap.
    static func leastSquares(
        _ x: [ComplexDouble], _ r: [ComplexDouble], first: Int, weights: [Double]
    ) -> [ComplexDouble] {
        let count = weights.count
        func conjugate(_ z: ComplexDouble) -> ComplexDouble { ComplexDouble(z.x, -z.y) }
        func correlation(_ a: [ComplexDouble], lag: Int) -> ComplexDouble {
            r.indices.reduce(ComplexDouble()) { sum, n in
                a.indices.contains(n + lag) ? sum + conjugate(r[n]).times(a[n + lag]) : sum
            }
        }
        let lags = (0..<count).map { correlation(r, lag: $0) }
        var rows = (0..<count).map { i in
            (0..<count).map { j in i >= j ? lags[i - j] : conjugate(lags[j - i]) } + [correlation(x, lag: first + i)]
        }
        for i in 0..<count {
            rows[i][i].x += weights[i]
        }
        for pivot in 0..<count {
            let inverse = conjugate(rows[pivot][pivot]) / rows[pivot][pivot].power
            for row in pivot + 1..<count {
                let factor = rows[row][pivot].times(inverse)
                for column in pivot...count {
                    rows[row][column] -= factor.times(rows[pivot][column])
                }
            }
        }
        var solution = [ComplexDouble](repeating: ComplexDouble(), count: count)
        for row in (0..<count).reversed() {
            let rest = (row + 1..<count).reduce(rows[row][count]) { $0 - rows[row][$1].times(solution[$1]) }
            solution[row] = rest.times(conjugate(rows[row][row]) / rows[row][row].power)
        }
        return solution
    }
}
