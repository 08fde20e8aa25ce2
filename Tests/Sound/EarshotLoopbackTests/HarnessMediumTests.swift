import EarshotAudio
import EarshotChannel
import EarshotLoopback
import EarshotModem
import EarshotSystem
import Glibc
import TestSupport
import Testing

/// Real sound through files and simulated air.
@Suite(.optimized) struct HarnessMediumTests {
    @Test func aFileLosesNothing() throws {
        let program = try TestProgram.make(Profile.all, count: 3, seed: 11)
        let report = try TestProgram.report(program, through: WAVMedium())
        #expect(report.sentCount == 9 && report.decodedCount == 9)
        #expect(report.isPassed(requiredShare: 1))
        for profile in report.profiles {
            let seconds = try #require(Profile.named(profile.name)).frameSeconds(payloadByteCount: 8)
            let latency = try #require(profile.latencySeconds)
            // The receiver decides a frame some symbols after its end: at most 8 of 10.7
            // to 42.7 ms, and a block of 10 ms.
            #expect(latency.minimum > seconds && latency.maximum < seconds * (1 + 8.0 / 52) + 0.01)
            let level = try #require(profile.levelDecibels)
            #expect(abs(level.median + 12.04) < 0.05)
            // 16 bits make noise of 2⁻¹⁵/√12, which is 81 dB below the signal and 95 dB in 1,500 Hz. The leakage of
            // neighbouring tones limits the SNR before that.
            let snr = try #require(profile.snrDecibels)
            #expect(snr.minimum > 40)
        }
        let clock = try #require(report.clock)
        #expect(abs(clock.ppm) <= 0.1)
    }

    @Test func aKeptFileHoldsThePlayedSound() throws {
        let scratch = try Scratch()
        let program = try TestProgram.make(count: 2)
        let medium = WAVMedium(format: .f32, keptAt: FilePath(scratch.path("kept.wav")))
        #expect(try TestProgram.report(program, through: medium).isPassed(requiredShare: 1))
        let samples = try scratch.samples("kept.wav")
        #expect(samples.count == program.sampleCount)
        let frame = try Transmitter(profile: .fast, sampleRateHertz: 48_000)
            .samples(program.sendings[1].payload, amplitude: 0.25)
        #expect(Array(samples[program.sendings[1].samples]) == frame)
    }

    @Test func tooMuchNoiseFails() throws {
        var air = AirMedium()
        air.snrDecibels = -25
        let report = try TestProgram.report(TestProgram.make(Profile.all, count: 2, seed: 4), through: air)
        #expect(report.decodedCount == 0 && report.wrongCount == 0)
        #expect(!report.isPassed(requiredShare: 0.95))
        #expect(report.profiles.allSatisfy { $0.missing.count == 2 })
    }

    /// The stated uncertainty is two standard deviations, so for a few seeds the limit is 3: 1.5 times as much, plus
    /// the tenth of a ppm that is always allowed.
    @Test(arguments: [200.0, -200, 1_000]) func clocksAreReadWithinTheirUncertainty(ppm: Double) throws {
        var air = AirMedium()
        air.clockPPM = ppm
        for seed in UInt64(1)...3 {
            let report = try TestProgram.report(TestProgram.make([.standard], count: 4, seed: seed), through: air)
            let clock = try #require(report.clock)
            #expect(abs(clock.ppm - ppm) <= 3 * clock.deviationPPM + 0.1, "seed \(seed)")
            #expect(clock.deviationPPM < 0.5)
            #expect(report.isPassed(requiredShare: 1))
        }
    }

    /// Without direct sound and with noise, the two sweeps seldom have the same strongest echo. A receiver that takes
    /// it for the same echo has clocks up to 1,000 ppm off.
    @Test func echoesDoNotMoveTheClock() throws {
        var air = try medium("room-c")
        air.snrDecibels = 5
        air.clockPPM = 50
        for seed in UInt64(1)...4 {
            let report = try TestProgram.report(TestProgram.make([.far], count: 2, seed: seed), through: air)
            let clock = try #require(report.clock)
            #expect(abs(clock.ppm - 50) <= 3 * clock.deviationPPM + 0.1, "seed \(seed): \(clock)")
            #expect(clock.deviationPPM < 3)
        }
    }

    /// At 20 dB the microphone is at its full gain. At 0 dB the noise has a deviation of
    /// √((0.25²/2)·16) = 0.707, and the microphone turns it down to 0.125: by 15.05 dB. A token's noise differs from
    /// that of the second before by about 0.1 dB.
    @Test(arguments: [(20.0, -12.04), (0.0, -27.09)]) func levelsAreThoseWithoutNoise(snr: Double, level: Double) throws
    {
        var air = AirMedium()
        air.snrDecibels = snr
        let report = try TestProgram.report(TestProgram.make([.standard], count: 4, seed: 9), through: air)
        let measured = try #require(report.profiles[0].levelDecibels)
        #expect(abs(measured.median - level) < 0.5)
    }

    /// ±1 m/s is ±56 Hz, seven tenths of the receivers' search range.
    @Test func aWalkingTalkerIsHeardAndDoesNotMoveTheClock() throws {
        var air = AirMedium()
        air.speedMetresPerSecond = 1
        let report = try TestProgram.report(TestProgram.make(Profile.all, count: 2, seed: 3), through: air)
        #expect(report.isPassed(requiredShare: 1))
        let clock = try #require(report.clock)
        #expect(abs(clock.ppm) <= 0.2)
    }

    @Test func theSameSeedGivesTheSameReport() throws {
        var air = try medium("room-b")
        air.snrDecibels = 3
        let program = try TestProgram.make(Profile.all, count: 2, seed: 21)
        let report = try TestProgram.report(program, through: air)
        #expect(try TestProgram.report(program, through: air) == report)
        let other = try TestProgram.report(TestProgram.make(Profile.all, count: 2, seed: 22), through: air)
        #expect(other != report)
    }

    @Test func cancellingEndsEarly() throws {
        let program = try TestProgram.make(count: 20, seed: 1)
        let half = Box()
        let run = LoopbackRun(program) { if $0 > 0.5 { half.run?.cancel() } }
        half.run = run
        try AirMedium().carry(run)
        let report = run.report()
        #expect(report.isCancelled)
        #expect((5...15).contains(report.sentCount) && report.decodedCount == report.sentCount)
        #expect(report.isPassed(requiredShare: 1))
    }

    /// An hour of 48 kHz is 691 MB; the windows around the sweeps take 3 MB, frames and levels less. Other tests run at
    /// the same time in the same memory, so the limit is far above that.
    @Test func anHourTakesNoMemory() throws {
        let program = try TestProgram.make([.far], count: 1_400)
        #expect(program.seconds > 3_300)
        let run = LoopbackRun(program)
        run.left(0, atSeconds: 0)
        let block = [Float](repeating: 0.1, count: 4_800)
        let before = residentBytes()
        for _ in 0..<Int(program.seconds * 10) { run.recorded(block.span) }
        #expect(residentBytes() - before < 200_000_000)
    }

    private func residentBytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 200)
        guard fgets(&text, 200, file) != nil else { return 0 }
        let pages = String(decoding: text.map(UInt8.init(bitPattern:)), as: UTF8.self).split(separator: " ")[1]
        return (Int(pages) ?? 0) * Int(getpagesize())
    }

    /// The run that its own progress cancels; used from one thread.
    private final class Box: @unchecked Sendable {
        var run: LoopbackRun?
    }
}

private func medium(_ channel: String) throws -> AirMedium {
    let preset = try #require(AirPreset.named(channel))
    return try #require(AirMedium(channel: preset))
}
