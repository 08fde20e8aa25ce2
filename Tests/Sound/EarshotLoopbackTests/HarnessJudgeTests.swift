import EarshotAudio
import EarshotCoding
import EarshotLoopback
import EarshotModem
import TestSupport
import Testing

/// The judgement of frames that are right, missing, duplicate or foreign; the medium is a fake that reports a test's frames.
@Suite(.optimized) struct HarnessJudgeTests {
    @Test func everythingHeardIsPassed() throws {
        let report = try TestProgram.report(TestProgram.make(), through: FakeMedium())
        let fast = try #require(report.profiles.first)
        #expect(fast.sentCount == 10 && fast.decodedCount == 10 && fast.missing.isEmpty)
        #expect(report.wrongCount == 0 && report.duplicateCount == 0)
        #expect(report.isPassed(requiredShare: 1))
        // The frame's 0.555 s and the medium's 0.125 s, by a clock that does not start at zero.
        let latency = try #require(fast.latencySeconds)
        let expected = 832 / 1_500.0 + 0.125
        #expect(abs(latency.minimum - expected) < 1e-6 && abs(latency.maximum - expected) < 1e-6)
        // 0.25 is −12.04 dBFS. The middle of a frame has a constant envelope, and smoothed steps cost almost nothing.
        let level = try #require(fast.levelDecibels)
        #expect(abs(level.median + 12.04) < 0.05)
        let clock = try #require(report.clock)
        #expect(abs(clock.ppm) < 0.1)
        let pair = try #require(report.pair).get()
        #expect(abs(pair.band.meanDecibels) < 0.1)
        // The lead is before the sweep was played, so it is no latency.
        #expect(abs(pair.latencySamples) < 1)
    }

    @Test func aSwallowedTokenIsMissing() throws {
        let program = try TestProgram.make()
        var medium = FakeMedium()
        medium.change = { $0.remove(at: 3) }
        let report = try TestProgram.report(program, through: medium)
        #expect(report.profiles[0].decodedCount == 9)
        #expect(report.profiles[0].missing == [program.sendings[3].payload])
        #expect(!report.isPassed(requiredShare: 0.95))
        #expect(report.isPassed(requiredShare: 0.9))
    }

    @Test func aTokenHeardTwiceIsADuplicate() throws {
        var medium = FakeMedium()
        medium.change = { $0.insert($0[3], at: 4) }
        let report = try TestProgram.report(TestProgram.make(), through: medium)
        #expect(report.profiles[0].duplicateCount == 1)
        #expect(report.profiles[0].decodedCount == 10)
        #expect(report.wrongCount == 0)
        #expect(!report.isPassed(requiredShare: 0))
    }

    @Test func aForeignTokenIsWrong() throws {
        var medium = FakeMedium()
        let foreign = try Payload(hex: "0123456789abcdef")
        medium.change = { $0[2].payload = foreign }
        let report = try TestProgram.report(TestProgram.make(), through: medium)
        #expect(report.profiles[0].wrongCount == 1)
        #expect(report.profiles[0].decodedCount == 9)
        #expect(report.wrongFrames.map(\.payload) == [foreign])
        #expect(!report.isPassed(requiredShare: 0))
    }

    @Test func aTokenInAnotherProfileIsWrong() throws {
        var medium = FakeMedium()
        medium.change = { $0[2].profileName = "far" }
        let report = try TestProgram.report(TestProgram.make(), through: medium)
        #expect(report.wrongCount == 1 && report.otherWrongCount == 1)
        #expect(report.profiles[0].missing.count == 1)
        #expect(!report.isPassed(requiredShare: 0.9))
    }

    /// Half of a `fast` frame is 12,288 samples: an error of 10,000 is near, one of 15,000 is not.
    @Test(arguments: [true, false]) func aTokenAtAnotherTimeIsWrong(hasSound: Bool) throws {
        for (shift, isNear) in [(10_000, true), (-10_000, true), (15_000, false), (-15_000, false)] {
            var medium = FakeMedium()
            medium.hasSound = hasSound
            medium.change = {
                $0[4].startSample += shift
                $0[4].endSample += shift
            }
            let report = try TestProgram.report(TestProgram.make(), through: medium)
            #expect(report.profiles[0].decodedCount == (isNear ? 10 : 9))
            #expect(report.wrongCount == (isNear ? 0 : 1))
            #expect((report.pair == nil) == !hasSound)
        }
    }

    @Test func aDropoutMayShiftLaterTokensAndHidesTheClock() throws {
        let medium = { (dropouts: [LoopbackDropout]) in
            var medium = FakeMedium()
            medium.dropouts = dropouts
            medium.change = { frames in
                for index in 5..<10 {
                    frames[index].startSample += 20_000
                    frames[index].endSample += 20_000
                }
            }
            return medium
        }
        let program = try TestProgram.make()
        #expect(try TestProgram.report(program, through: medium([])).wrongCount == 5)
        let report = try TestProgram.report(
            program,
            through: medium([LoopbackDropout(.playback, seconds: 0.2), LoopbackDropout(.capture, seconds: nil)]))
        #expect(report.wrongCount == 0 && report.decodedCount == 10)
        #expect(report.clock == nil)
        #expect(report.dropouts.count == 2)
    }

    @Test func onlyPlayedTokensAreJudged() throws {
        let program = try TestProgram.make()
        var medium = FakeMedium()
        // The fourth token is cut off in its middle.
        medium.playedSampleCount = program.sendings[3].samples.lowerBound + 5_000
        let report = try TestProgram.report(program, through: medium)
        #expect(report.sentCount == 3 && report.decodedCount == 3)
        #expect(report.isPassed(requiredShare: 1))
        medium.playedSampleCount = 4_800
        let nothing = try TestProgram.report(program, through: medium)
        #expect(nothing.sentCount == 0 && nothing.verdict == nil)
        #expect(!nothing.isPassed(requiredShare: 0))
    }

    @Test func aFloodOfForeignFramesIsCountedAndNotKept() throws {
        let program = try TestProgram.make(count: 2)
        let run = LoopbackRun(program)
        var frame = FakeMedium.frame(program.sendings[0], later: 0)
        frame.payload = try Payload(hex: "00")
        for _ in 0..<100_000 { run.received(frame, atSeconds: 1) }
        let report = run.report()
        #expect(report.wrongCount == 100_000)
        #expect(report.otherWrongCount == 100_000 - 1_008)
        #expect(report.wrongFrames.count == 10)
    }
}
