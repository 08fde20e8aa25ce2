import EarshotBasics
import EarshotChannel
import EarshotLoopback
import EarshotModem
import TestSupport
import Testing

@Suite(.optimized) struct HarnessProgramTests {
    @Test func theSameSeedPlaysTheSame() throws {
        let program = try TestProgram.make(Profile.all, count: 3, seed: 5)
        let again = try TestProgram.make(Profile.all, count: 3, seed: 5)
        let other = try TestProgram.make(Profile.all, count: 3, seed: 6)
        #expect(program.sendings.map(\.payload) == again.sendings.map(\.payload))
        #expect(program.sendings.map(\.samples) == again.sendings.map(\.samples))
        #expect(Set(program.sendings.map(\.payload)).isDisjoint(with: other.sendings.map(\.payload)))
    }

    @Test func everyRoundHasEveryProfileAndNothingOverlaps() throws {
        let program = try TestProgram.make(Profile.all, count: 20, seed: 1)
        for round in 0..<20 {
            #expect(Set(program.sendings[3 * round..<3 * round + 3].map(\.profile.name)).count == 3)
        }
        var previousEnd = program.openingSweep.upperBound
        for sending in program.sendings {
            // The shortest pause is 0.2 s.
            #expect(sending.samples.lowerBound >= previousEnd + 9_600)
            previousEnd = sending.samples.upperBound
        }
        #expect(program.closingSweep.lowerBound > previousEnd + 9_600)
        #expect(program.sampleCount == program.closingSweep.upperBound + 48_000)
    }

    @Test func theStreamIsTheProgramHoweverItIsCut() throws {
        let program = try TestProgram.make([.fast, .standard], count: 2, seed: 2, rate: 44_100)
        var whole = ProgramStream(program)
        var samples = [Float](repeating: .nan, count: program.sampleCount + 100)
        var room = samples.mutableSpan
        #expect(whole.read(into: &room) == program.sampleCount)
        for sending in program.sendings {
            let frame = try Transmitter(profile: sending.profile, sampleRateHertz: 44_100)
                .samples(sending.payload, amplitude: 0.25)
            #expect(Array(samples[sending.samples]) == frame)
        }
        let sweep = try Sweep(sampleRateHertz: 44_100, amplitude: 0.25).samples
        #expect(Array(samples[program.openingSweep]) == sweep && Array(samples[program.closingSweep]) == sweep)
        #expect(samples[program.quiet].allSatisfy { $0 == 0 })

        var generator = SeededGenerator(seed: 3)
        var stream = ProgramStream(program)
        var pieces: [Float] = []
        while stream.position < program.sampleCount {
            var piece = [Float](repeating: .nan, count: Int.random(in: 1...5_000, using: &generator))
            var room = piece.mutableSpan
            let count = stream.read(into: &room)
            pieces += piece[..<count]
        }
        #expect(pieces == Array(samples[..<program.sampleCount]))
    }

    @Test func aRateWithoutTheBandIsRefused() {
        #expect(throws: ModemError.sampleRateTooLow(hertz: 32_000)) { try TestProgram.make(rate: 32_000) }
    }
}
