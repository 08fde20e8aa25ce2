import EarshotChannel
import EarshotCoding
import EarshotLoopback
import EarshotModem
import RealModule
import TestSupport
import Testing

/// A schedule recorded by another device, through simulated air of known room, clock and noise.
@Suite(.optimized) struct RecordedProgramTests {
    private static func program(tokens: Int = 3, steps: [Double] = [0, -6, -12], seed: UInt64 = 5) throws
        -> LoopbackProgram
    {
        var order = LoopbackProgram.Order()
        order.tokensPerProfile = tokens
        order.stepsDecibels = steps
        order.seed = seed
        return try LoopbackProgram(order)
    }

    /// The recording began `leadSeconds` before the program.
    private static func recording(
        _ program: LoopbackProgram, _ air: AirMedium, leadSeconds: Int = 2
    ) -> [Float] {
        var sound = air.sound(of: program)
        let samples = sound.readAll()
        // The first second has noise alone.
        let second = samples[..<program.sampleRateHertz]
        return (0..<leadSeconds).flatMap { _ in second } + samples
    }

    private static func air(_ channel: String?, snrDecibels: Double, ppm: Double = 0) throws -> AirMedium {
        var air = AirMedium()
        if let channel {
            let preset = try #require(AirPreset.named(channel))
            air = try #require(AirMedium(channel: preset))
        }
        air.snrDecibels = snrDecibels
        air.clockPPM = ppm
        return air
    }

    /// In white noise the receiver's SNR is the chosen one minus the step. It is within 0.6 dB of it for a token at −5
    /// to 25 dB (`SensitivityTests`); the limit is 1.5 dB, because three tokens have a spread.
    @Test func eachLevelHasItsSNR() throws {
        let program = try Self.program()
        let samples = Self.recording(program, try Self.air(nil, snrDecibels: 15))
        let report = try RecordedProgram.report(samples, of: program)
        #expect(report.levels.count == 9)
        for level in report.levels {
            #expect(level.sentCount == 3 && level.decodedCount == 3)
            let snr = try #require(level.snrDecibels)
            #expect(abs(snr.median - 15 - level.stepDecibels) < 1.5, "\(level)")
        }
        #expect(report.sentCount == 27 && report.wrongCount == 0 && report.duplicateCount == 0)
        // There is no echo, so no room.
        #expect(report.room?.reverberationSeconds == nil)
    }

    /// 40 and −150 ppm within the stated deviation, as for `loopback`.
    @Test(arguments: [40.0, -150]) func theClocksAreRead(ppm: Double) throws {
        let program = try Self.program(steps: [0])
        let report = try RecordedProgram.report(
            Self.recording(program, try Self.air("room-a", snrDecibels: 20, ppm: ppm)), of: program)
        let clock = try #require(report.clock)
        #expect(abs(clock.ppm - ppm) <= 3 * clock.deviationPPM + 0.1, "\(clock)")
        #expect(report.decodedCount == report.sentCount)
    }

    /// 3 ms are missing in the middle, which two sweeps alone would take for clocks that differ by 3 ms over their distance.
    @Test(arguments: [nil, "room-a"]) func aHoleHidesTheClock(channel: String?) throws {
        let program = try Self.program()
        var samples = Self.recording(program, try Self.air(channel, snrDecibels: 25, ppm: 40))
        #expect(try !RecordedProgram.report(samples, of: program).hasHole)
        samples.removeSubrange(samples.count / 2..<samples.count / 2 + 144)
        let report = try RecordedProgram.report(samples, of: program)
        #expect(report.hasHole && report.clock == nil)
    }

    /// RT60 within a fifth. The echo is noise with an envelope. Its fall by 20 dB has n = RT60/3·2 kHz independent
    /// samples, whose slope has a deviation of about 4.34·√12/(20·√n) = 5 % for 0.3 s; the limit is three times that,
    /// plus the error of the filter. The mean of four rooms has half of it.
    ///
    /// DRR: sound within 2.5 ms after the direct sound counts as direct, so (D + R·f)/(R·(1 − f)) is measured, f = 1 −
    /// e^(−13.8·2.5 ms/RT60). The energy of few early echoes varies: 2.5 dB for the mean of four.
    @Test(arguments: [("room-a", 0.2, 0.0), ("room-b", 0.3, -6), ("room-critical", 0.3, 0)])
    func theRoomIsRead(name: String, seconds: Double, ratioDecibels: Double) throws {
        var (times, ratios) = ([Double](), [Double]())
        for seed in UInt64(1)...4 {
            let program = try Self.program(tokens: 1, steps: [0], seed: seed)
            let report = try RecordedProgram.report(
                Self.recording(program, try Self.air(name, snrDecibels: 25)), of: program)
            let room = try #require(report.room)
            times.append(try #require(room.reverberationSeconds))
            ratios.append(try #require(room.directToReverberantDecibels))
            #expect(room.decayDecibels.count == 90)
        }
        let early = 1 - Double.exp(-13.8155 * RoomResponse.directSeconds / seconds)
        let ratio = Double.pow(10, ratioDecibels / 10)
        let expected = 10 * Double.log10((ratio + early) / (1 - early))
        #expect(abs(times.reduce(0, +) / 4 / seconds - 1) < 0.2, "\(times)")
        #expect(abs(ratios.reduce(0, +) / 4 - expected) < 2.5, "\(ratios), expected \(expected)")
    }

    @Test func theLastSweepAloneShowsThePlace() throws {
        let program = try Self.program(tokens: 1)
        var samples = Self.recording(program, try Self.air(nil, snrDecibels: 20))
        let lead = samples.count - program.sampleCount
        for index in program.openingSweep { samples[lead + index] = 0 }
        let report = try RecordedProgram.report(samples, of: program)
        #expect(report.sentCount == 9 && report.decodedCount == 9)
    }

    /// Its only sweep is the last one, but could be the first one of a recording that ended early and lost every token.
    @Test func aRecordingThatBeganLateIsNotJudged() throws {
        let program = try Self.program(tokens: 1)
        let samples = Self.recording(program, try Self.air(nil, snrDecibels: 20))
        let begin = samples.count - program.sampleCount + program.sendings[4].samples.lowerBound - 12_000
        #expect(throws: RecordedProgram.Problem.oneSweepAlone) {
            try RecordedProgram.report(Array(samples[begin...]), of: program)
        }
    }

    @Test func aRecordingThatEndsEarlyCountsWhatItHolds() throws {
        let program = try Self.program(tokens: 1)
        let samples = Self.recording(program, try Self.air(nil, snrDecibels: 20))
        let lead = samples.count - program.sampleCount
        let end = lead + program.sendings[4].samples.upperBound + 24_000
        let report = try RecordedProgram.report(Array(samples[..<end]), of: program)
        #expect(report.sentCount == 5 && report.decodedCount == 5)
        #expect(report.levels.map(\.sentCount).reduce(0, +) == 5)
    }

    @Test func noiseAloneHasNoSweep() throws {
        var noise = WhiteNoise(seed: 3)
        let samples = (0..<48_000 * 20).map { _ in 0.01 * noise.next() }
        let program = try Self.program(tokens: 1)
        #expect(throws: RecordedProgram.Problem.noSweep) { try RecordedProgram.report(samples, of: program) }
        #expect(throws: RecordedProgram.Problem.tooShort(seconds: 1)) {
            try RecordedProgram.report(Array(samples[..<48_000]), of: program)
        }
    }

    /// A step of −6 dB has half of the amplitude; the sweeps keep theirs.
    @Test func stepsAreLevelsOfTokens() throws {
        let program = try Self.program(tokens: 1, steps: [0, -20 * .log10(2.0)])
        var stream = ProgramStream(program)
        var samples = [Float](repeating: 0, count: program.sampleCount)
        var room = samples.mutableSpan
        #expect(stream.read(into: &room) == program.sampleCount)
        func peak(_ range: Range<Int>) -> Float { samples[range].reduce(0) { max($0, abs($1)) } }
        for sending in program.sendings {
            let expected: Float = sending.stepDecibels == 0 ? 0.25 : 0.125
            #expect(abs(peak(sending.samples) / expected - 1) < 0.01)
        }
        #expect(abs(peak(program.closingSweep) / 0.25 - 1) < 0.01)
    }
}
