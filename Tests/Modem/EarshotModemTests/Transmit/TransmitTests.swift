import EarshotBasics
import EarshotCoding
import EarshotDSP
import EarshotModem
import RealModule
import TestSupport
import Testing

@Suite struct TransmitTests {
    private func transmitter(_ profile: Profile, _ rate: Int) throws -> Transmitter {
        try Transmitter(profile: profile, sampleRateHertz: rate)
    }

    private func payload(_ byteCount: Int, seed: UInt64) throws -> Payload {
        var random = SeededGenerator(seed: seed)
        return try Payload(random.bytes(byteCount))
    }

    // MARK: Bursts

    /// Frame j starts at sample round(j·56·M·F/1500), in whole numbers here. Every frame equals one that is sent alone,
    /// and there is silence between them.
    @Test(arguments: [44_100, 47_999, 48_000, 192_000])
    func framesOfABurstAreASpacingApart(rate: Int) throws {
        for profile in Profile.all {
            let transmitter = try transmitter(profile, rate)
            let token = try payload(8, seed: 4)
            let frame = transmitter.samples(token, amplitude: 0.5)
            for frameCount in [1, 2, 8] {
                let burst = try transmitter.burst(token, frameCount: frameCount, amplitude: 0.5)
                var expected: [Float] = []
                for index in 0..<frameCount {
                    let start = (2 * index * 56 * profile.toneCount * rate + 1_500) / 3_000
                    expected += [Float](repeating: 0, count: start - expected.count) + frame
                }
                let isAsExpected = burst == expected
                #expect(isAsExpected, "\(frameCount) of \(profile.name)")
                #expect(transmitter.burstSampleCount(frameCount: frameCount) == burst.count)
                // At most a sample from rounding the last start, and one from the frame's end.
                #expect(abs(profile.burstSeconds(frameCount: frameCount) * Double(rate) - Double(burst.count)) < 2)
            }
        }
    }

    @Test func burstsOfOtherPayloadsAndCountsAreRefused() throws {
        let transmitter = try transmitter(.fast, 48_000)
        for byteCount in [1, 2, 7, 9, 32] {
            #expect(throws: ModemError.burstOfNoToken(byteCount: byteCount)) {
                try transmitter.burst(payload(byteCount, seed: 5), frameCount: 2)
            }
        }
        for frameCount in [-1, 0, 9, .max] {
            #expect(throws: ModemError.burstCount(frameCount)) {
                try transmitter.burst(payload(8, seed: 5), frameCount: frameCount)
            }
        }
        #expect(ModemError.burstOfNoToken(byteCount: 2).description.contains("token of 8 bytes, not 2"))
        #expect(ModemError.burstCount(9).description.contains("9 frames does not exist; use 1 to 8"))
    }

    // MARK: Length

    /// ⌈K·T·F⌉ = ⌈K·M·F/1500⌉ in whole numbers, for every length, profile and rate.
    @Test(arguments: [44_100, 47_999, 48_000, 48_001, 88_200, 96_000, 176_400, 192_000, 384_000, 768_000])
    func framesHaveTheSamplesOfTheirDuration(rate: Int) throws {
        for profile in Profile.all {
            let transmitter = try transmitter(profile, rate)
            for byteCount in 1...32 {
                let toneCount = byteCount == 8 ? 52 : 26 + 4 * byteCount
                let expected = (toneCount * profile.toneCount * rate + 1_499) / 1_500
                #expect(
                    transmitter.sampleCount(payloadByteCount: byteCount) == expected,
                    "\(byteCount) bytes, \(profile.name)")
            }
        }
    }

    @Test(arguments: [44_100, 47_999, 48_000, 96_000])
    func tokensLastHalfASecondOneAndTwo(rate: Int) throws {
        // 52 tones of 16, 32 or 64 times 1/1,500 s.
        for (profile, tones) in [(Profile.fast, 832), (.standard, 1_664), (.far, 3_328)] {
            let transmitter = try transmitter(profile, rate)
            let samples = transmitter.samples(try payload(8, seed: 1))
            #expect(samples.count == (tones * rate + 1_499) / 1_500)
            #expect(samples.count == transmitter.sampleCount(payloadByteCount: 8))
        }
    }

    // MARK: Spectrum

    /// With all ramps and steps, the power below 17 kHz is 75 dB under the whole.
    @Test(arguments: Profile.all.map(\.name), [44_100, 48_000, 96_000])
    func isQuietBelow17Kilohertz(name: String, rate: Int) throws {
        let profile = try #require(Profile.named(name))
        for (byteCount, seed) in [(8, 1), (8, 2), (1, 3), (20, 4)] as [(Int, UInt64)] {
            let samples = try transmitter(profile, rate).samples(try payload(byteCount, seed: seed))
            let level = energyBelow17Kilohertz(samples, rate: rate)
            #expect(level <= -75, "\(level) dB, \(byteCount) bytes, seed \(seed)")
        }
    }

    /// The same at −12 dBFS in 16 bits. Rounding adds 2⁻³⁰/12 over the band, of which 17 kHz are at most 0.77: −102 dB of
    /// full scale, against a signal of −15 dB.
    @Test(arguments: Profile.all.map(\.name), [44_100, 48_000, 96_000])
    func isQuietBelow17KilohertzIn16Bits(name: String, rate: Int) throws {
        let profile = try #require(Profile.named(name))
        let samples = try transmitter(profile, rate).samples(try payload(8, seed: 5), amplitude: 0.251_189)
        let rounded = samples.map { ($0 * 32_768).rounded() / 32_768 }
        let level = energyBelow17Kilohertz(rounded, rate: rate)
        #expect(level <= -75, "\(level) dB, seed 5")
    }

    private func energyBelow17Kilohertz(_ samples: [Float], rate: Int) -> Double {
        var length = 1
        while length < samples.count { length *= 2 }
        var plan = FFTPlan(length: length)
        plan.withMutableSamples { input in
            for n in samples.indices {
                input[n] = ComplexSample(samples[n], 0)
            }
        }
        plan.forward()
        var low = 0.0
        var total = 0.0
        plan.withSpectrum { spectrum in
            for k in 0..<length / 2 {
                let power = Double(spectrum[k].power)
                total += power
                low += k * rate < 17_000 * length ? power : 0
            }
        }
        return decibels(low / total)
    }

    /// A constant envelope has 3.01 dB. The ramps, 10 ms with 3/8 of the power, lose 6.25 ms of it: 1.1 % of a `fast`
    /// token's 555 ms, 0.05 dB.
    @Test(arguments: Profile.all.map(\.name), [44_100, 48_000, 96_000])
    func tokensHaveTheCrestFactorOfASine(name: String, rate: Int) throws {
        let profile = try #require(Profile.named(name))
        for seed in 1...5 as ClosedRange<UInt64> {
            let samples = try transmitter(profile, rate).samples(try payload(8, seed: seed))
            let peak = samples.map { Double(abs($0)) }.max() ?? 0
            let power = samples.reduce(0) { $0 + Double($1 * $1) } / Double(samples.count)
            let crest = decibels(peak * peak / power)
            #expect(crest <= 3.1 && crest > 3, "\(crest) dB, seed \(seed)")
        }
    }

    // MARK: Tones

    /// The frequency in the middle of each symbol, from the phase between two stretches a quarter of a symbol apart.
    ///
    /// They are T/4 long themselves and end T/4, or 6σ, before the steps at either end of the symbol.
    @Test(arguments: Profile.all.map(\.name), [44_100, 48_000, 192_000])
    func everySymbolSoundsAtItsTone(name: String, rate: Int) throws {
        let profile = try #require(Profile.named(name))
        let transmitter = try transmitter(profile, rate)
        let payload = try payload(3, seed: 6)
        let samples = transmitter.samples(payload)
        let tones = transmitter.tones(payload)
        try #require(samples.count >= tones.count * profile.toneCount * rate / 1_500)
        let window = Int(profile.symbolSeconds / 4 * Double(rate))
        for (symbol, tone) in tones.enumerated() {
            let expected = 18_500 + (Double(tone) + 0.5) * 1_500 / Double(profile.toneCount)
            let middle = (Double(symbol) + 0.5) * profile.symbolSeconds
            func correlation(at seconds: Double) -> ComplexDouble {
                let first = Int((seconds * Double(rate)).rounded()) - window / 2
                return (0..<window).reduce(ComplexDouble()) { sum, n in
                    let weight = 1 - Double.cos(2 * .pi * (Double(n) + 0.5) / Double(window))
                    let turns = expected * Double(first + n) / Double(rate)
                    return sum + weight * Double(samples[first + n]) * .phasor(turns: -turns)
                }
            }
            let before = correlation(at: middle - profile.symbolSeconds / 8)
            let after = correlation(at: middle + profile.symbolSeconds / 8)
            let turned = after.times(ComplexDouble(before.x, -before.y))
            let deviation = Double.atan2(y: turned.y, x: turned.x) / (2 * .pi) / (profile.symbolSeconds / 4)
            #expect(abs(deviation) < 1, "symbol \(symbol), tone \(tone): \(deviation) Hz")
        }
    }

    // MARK: Level and errors

    @Test func theSamePayloadGivesTheSameSamples() throws {
        let payload = try payload(8, seed: 7)
        let first = try transmitter(.standard, 48_000).samples(payload)
        // Compared outside #expect, which would print both.
        let isSame = try transmitter(.standard, 48_000).samples(payload) == first
        #expect(isSame, "seed 7")
    }

    @Test func amplitudeIsThePeak() throws {
        let transmitter = try transmitter(.fast, 48_000)
        let payload = try payload(8, seed: 8)
        let full = transmitter.samples(payload)
        let peak = full.map { abs($0) }.max() ?? 0
        #expect(peak <= 1 && peak > 0.999)
        let isScaled = transmitter.samples(payload, amplitude: 0.25) == full.map { 0.25 * $0 }
        #expect(isScaled, "seed 8")
        #expect(transmitter.samples(payload, amplitude: 0).allSatisfy { $0 == 0 })
    }

    @Test func ratesThatCannotCarryTheBandAreRefused() throws {
        for rate in [-1, 0, 8_000, 44_099] {
            #expect(throws: ModemError.sampleRateTooLow(hertz: rate)) { try Transmitter(sampleRateHertz: rate) }
        }
        for rate in [768_001, .max] {
            #expect(throws: ModemError.sampleRateTooHigh(hertz: rate)) { try Transmitter(sampleRateHertz: rate) }
        }
        for rate in [44_100, 768_000] {
            #expect(try Transmitter(sampleRateHertz: rate).sampleRateHertz == rate)
        }
        #expect(ModemError.sampleRateTooLow(hertz: 8_000).description.contains("8000 Hz"))
    }
}
