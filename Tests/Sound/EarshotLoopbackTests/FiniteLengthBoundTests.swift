import EarshotChannel
import EarshotDSP
import EarshotModem
import RealModule
import TestSupport
import Testing

@testable import EarshotLoopback

@Suite(.optimized) struct FiniteLengthBoundTests {
    /// 80 bits, 64 of them payload, in 40 tones of 32, an Eb of 40/64·Es. The figures come from another program, with one decimal
    /// (0.05 dB); seeds differ by 0.02 dB: 0.05 + 2·0.02 = 0.09 dB.
    @Test(arguments: [
        (OrthogonalToneChannel.Fading.none, 0.9, 3.3), (.none, 0.99, 3.9), (.rayleigh, 0.9, 5.3),
    ])
    func knownFigures(row: (fading: OrthogonalToneChannel.Fading, success: Double, bitEnergyDecibels: Double)) throws {
        let bound = FiniteLengthBound(toneCount: 32, symbolCount: 40, bitCount: 80, fading: row.fading, seed: 2)
        let decibels = try #require(bound.esN0Decibels(atSuccess: row.success))
        #expect(abs(decibels - 10 * .log10(64.0 / 40) - row.bitEnergyDecibels) < 0.09)
    }

    /// The formula itself, by random draws alone. The limit is four times its own error √(V/20,000). V has an error of
    /// √((κ − 1)/20,000) of V, with a kurtosis κ of at most 5: 1.4 %, also four times.
    @Test(arguments: [(16, 4.0), (32, 6.0)])
    func capacityAndDispersion(row: (toneCount: Int, decibels: Double)) {
        let gamma = powerRatio(decibels: row.decibels)
        var noise = WhiteNoise(seed: 11)
        func energy(_ amplitude: Double) -> Double {
            let (real, imaginary) = (amplitude + Double(noise.next()) * 0.5.squareRoot(), Double(noise.next()))
            return real * real + imaginary * imaginary / 2
        }
        let densities = (0..<20_000).map { _ in
            let likelihoods = (0..<row.toneCount).map { tone in
                Reference.besselI0(2 * (gamma * energy(tone == 0 ? gamma.squareRoot() : 0)).squareRoot())
            }
            return Double.log2(Double(row.toneCount) * likelihoods[0] / likelihoods.reduce(0, +))
        }
        let count = Double(densities.count)
        let capacity = densities.reduce(0, +) / count
        let dispersion = densities.reduce(0) { $0 + ($1 - capacity) * ($1 - capacity) } / count
        let information = OrthogonalToneChannel(toneCount: row.toneCount, seed: 3).information(
            esN0Decibels: row.decibels)
        #expect(abs(information.capacityBits - capacity) < 4 * (dispersion / count).squareRoot())
        #expect(abs(information.dispersionBitsSquared / dispersion - 1) < 0.057)
    }

    /// With known phases i is that of Gaussian amplitudes, from random draws alone. At 2 bits a
    /// symbol of 4 or 5 it gains 1.5 to 3.5 dB.
    @Test(arguments: [(16, 4.0), (32, 5.0)])
    func knownPhasesSayMore(row: (toneCount: Int, decibels: Double)) throws {
        let gamma = powerRatio(decibels: row.decibels)
        var noise = WhiteNoise(seed: 12)
        let densities = (0..<20_000).map { _ in
            let likelihoods = (0..<row.toneCount).map { tone in
                let amplitude = (tone == 0 ? gamma.squareRoot() : 0) + Double(noise.next()) * 0.5.squareRoot()
                return Double.exp(2 * gamma.squareRoot() * amplitude)
            }
            return Double.log2(Double(row.toneCount) * likelihoods[0] / likelihoods.reduce(0, +))
        }
        let count = Double(densities.count)
        let capacity = densities.reduce(0, +) / count
        let dispersion = densities.reduce(0) { $0 + ($1 - capacity) * ($1 - capacity) } / count
        let channel = OrthogonalToneChannel(toneCount: row.toneCount, knowsPhase: true, seed: 3)
        let information = channel.information(esN0Decibels: row.decibels)
        #expect(abs(information.capacityBits - capacity) < 4 * (dispersion / count).squareRoot())
        #expect(abs(information.dispersionBitsSquared / dispersion - 1) < 0.057)
        let energies = FiniteLengthBound(toneCount: row.toneCount, symbolCount: 44, bitCount: 88)
        let phases = FiniteLengthBound(toneCount: row.toneCount, symbolCount: 44, bitCount: 88, knowsPhase: true)
        let gain = try #require(energies.esN0Decibels(atSuccess: 0.9)) - #require(phases.esN0Decibels(atSuccess: 0.9))
        #expect((1.5...3.5).contains(gain), "\(gain) dB")
    }

    /// ln L ≈ γ·(|y|² − 1) where γ is small, so i ≈ log₂e·γ·(|y[sent]|² − mean of |y|²): V = (1 − 1/M)·(γ·log₂e)², and
    /// C = V/(2·log₂e). V's own error is 2 %, C's √(V/16,384).
    @Test(arguments: [OrthogonalToneChannel.Fading.none, .rayleigh])
    func littleSignalSaysLittle(fading: OrthogonalToneChannel.Fading) {
        let channel = OrthogonalToneChannel(toneCount: 32, fading: fading, seed: 5)
        let information = channel.information(esN0Decibels: -20)
        let bits = 0.01 / Double.log(2)
        let dispersion = 31.0 / 32 * bits * bits
        #expect(abs(information.dispersionBitsSquared / dispersion - 1) < 0.1)
        #expect(
            abs(information.capacityBits - dispersion * .log(2) / 2) < 4 * (dispersion / 16_384).squareRoot())
        #expect(channel.information(esN0Decibels: -.infinity).capacityBits < 1e-6)
    }

    @Test(arguments: [2, 16, 64])
    func muchSignalSaysAll(toneCount: Int) {
        let channel = OrthogonalToneChannel(toneCount: toneCount, seed: 6)
        for decibels in [20.0, 40, 80] {
            let information = channel.information(esN0Decibels: decibels)
            #expect(abs(information.capacityBits - .log2(Double(toneCount))) < 1e-6)
            #expect(information.dispersionBitsSquared < 1e-6)
        }
    }

    /// The 90 % points in white noise of a receiver that knew the tones' energies alone (before 2026-11-25), and the bounds for any such code: with all 52 tones of a token, and
    /// with its 44 data tones, which must also carry the CRC.
    @Test(arguments: [(Profile.fast, -5.2), (.standard, -8.3), (.far, -11)])
    func theReceiverIsNoBetter(row: (profile: Profile, decibels: Double)) throws {
        let channel = OrthogonalToneChannel(toneCount: row.profile.toneCount, seed: 1)
        let all = FiniteLengthBound(channel: channel, symbolCount: 52, bitCount: 64)
        let data = FiniteLengthBound(channel: channel, symbolCount: 44, bitCount: 88)
        let seconds = row.profile.symbolSeconds
        let best = try #require(all.snrDecibels(atSuccess: 0.9, symbolSeconds: seconds))
        let nearest = try #require(data.snrDecibels(atSuccess: 0.9, symbolSeconds: seconds))
        #expect(best < nearest && nearest < row.decibels)
        // The search has steps of 0.001 dB, and a decibel changes the share at most tenfold.
        #expect(abs(all.errorShare(snrDecibels: best, symbolSeconds: seconds) - 0.1) < 0.001)
        // Es/N0 = SNR·1500·T, and 1500·T is M.
        let energy = best + 10 * .log10(Double(row.profile.toneCount))
        let found = try #require(all.esN0Decibels(atSuccess: 0.9))
        #expect(abs(found - energy) < 1e-9)
    }

    @Test func sharesFall() {
        let bound = FiniteLengthBound(toneCount: 32, symbolCount: 48, bitCount: 64)
        let shares = stride(from: -20.0, through: 30, by: 1).map { bound.errorShare(esN0Decibels: $0) }
        #expect(zip(shares, shares.dropFirst()).allSatisfy(>=))
        #expect(shares.first == 1 && shares.last == 0)
    }

    /// 16 tones of 32 make 2⁸⁰ words, enough for half of 2⁸¹ messages.
    @Test func wordsRunOut() throws {
        let bound = FiniteLengthBound(toneCount: 32, symbolCount: 16, bitCount: 81)
        #expect(bound.errorShare(esN0Decibels: 60) == 0.5)
        #expect(bound.esN0Decibels(atSuccess: 0.9) == nil)
        #expect(bound.esN0Decibels(atSuccess: 0.4) != nil)
    }
}
