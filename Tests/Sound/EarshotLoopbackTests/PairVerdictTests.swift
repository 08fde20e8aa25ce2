import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotModem
import RealModule
import TestSupport
import Testing

@testable import EarshotLoopback

@Suite(.optimized) struct PairVerdictTests {
    private func verdict(_ scene: PairScene, _ change: ([Float]) -> [Float] = { $0 }) throws -> PairVerdict {
        let report = try #require(try scene.report(change))
        return PairVerdict(report, tokenLevelDecibels: 20 * .log10(Double(scene.amplitude)))
    }

    private func expectations(_ verdict: PairVerdict) -> [ProfileOutlook.Expectation] {
        verdict.outlooks.map(\.expectation)
    }

    /// The 90 % points of fast, standard and far with 3 dB of margin are −3.6, −6.5 and −9.5 dB in noise
    /// and 5, −1 and −4.8 dB with echo; the SNR is measured to half a decibel. The scenes are
    /// quiet, because noise at full level would clip.
    @Test(
        arguments: [
            (30, [.works, .works, .works]), (3, [.worksWithoutEcho, .works, .works]),
            (-2.7, [.worksWithoutEcho, .worksWithoutEcho, .works]),
            (-5.6, [.fails, .worksWithoutEcho, .worksWithoutEcho]), (-8, [.fails, .fails, .worksWithoutEcho]),
            (-11, [.fails, .fails, .fails]),
        ] as [(Double, [ProfileOutlook.Expectation])])
    func saysWhichProfilesWork(snrDecibels: Double, expected: [ProfileOutlook.Expectation]) throws {
        let verdict = try verdict(PairScene(amplitude: 0.02, snrDecibels: snrDecibels))
        #expect(expectations(verdict) == expected, "\(verdict.outlooks)")
        #expect(verdict.outlooks.map(\.profileName) == ["fast", "standard", "far"])
        #expect(verdict.problems.isEmpty == (expected[1] != .fails))
    }

    /// The table is that of the benchmarks, to their tenth of a decibel.
    @Test(arguments: [(Profile.fast, 2), (.standard, 3), (.far, 4)])
    func whatIsNeededIsMeasured(profile: Profile, column: Int) throws {
        let lines = String(decoding: try Repository.contents("docs/BENCHMARKS.md"), as: UTF8.self).split(
            separator: "\n")
        func decibels(_ beginning: String, _ column: Int) throws -> Double {
            let line = try #require(lines.first { $0.hasPrefix(beginning) })
            let cell = line.split(separator: "|")[column - 1]
            return try #require(Double(cell.split { !"-.0123456789".contains($0) }[0]))
        }
        let needed = try #require(NeededSNR.of(profile, lostToneShare: 0))
        #expect(abs(needed.noiseDecibels - (try decibels("| `\(profile.name)` | -", 3))) < 0.051)
        #expect(abs(needed.roomDecibels - (try decibels("| `room-b` | **", column))) < 0.001)
    }

    @Test func saysItInASentence() throws {
        #expect(try verdict(PairScene(amplitude: 0.02, snrDecibels: 30)).summary == "fast, standard and far will work.")
        #expect(
            try verdict(PairScene(amplitude: 0.02, snrDecibels: -2.7)).summary
                == "far will work, fast and standard will work where there is little echo.")
        #expect(
            try verdict(PairScene(amplitude: 0.02, snrDecibels: -11)).summary == "fast, standard and far will not work."
        )
    }

    /// In loud noise the advice is to move away from it; with a weak sweep in little noise it is to turn the volume up.
    /// Both are measured by the distance to −5.3 dB. At so low an SNR the measured ripple counts for 1 dB or more.
    @Test func tellsNoiseFromWeakness() throws {
        let noisy = try verdict(PairScene(amplitude: 0.02, snrDecibels: -10))
        guard case .noisy(let level, let missing) = try #require(noisy.problems.first) else {
            Issue.record("\(noisy.problems)")
            return
        }
        #expect(abs(level - (20 * .log10(0.02) + 10)) < 0.5)
        #expect(abs(missing - 4.7) < 2)
        // 70 dB down, in noise 60 dB below the played sweep: −10 dB again.
        var scene = PairScene(snrDecibels: 60)
        scene.path = { $0.map { 3.16e-4 * $0 } }
        let quiet = try verdict(scene)
        guard case .tooQuiet(let received, let missing) = try #require(quiet.problems.first) else {
            Issue.record("\(quiet.problems)")
            return
        }
        #expect(abs(received + 82) < 1)
        #expect(abs(missing - 4.7) < 2)
    }

    /// An edge at 19.8 kHz takes 200 of 1,500 Hz, 13 % of the tones: tokens still pass. At 19.4 kHz it takes 40 %.
    @Test(arguments: [(19_800, 0.133, true), (19_400, 0.4, false), (19_000, 0.667, false)] as [(Double, Double, Bool)])
    func namesTheEdgeAndTheTonesLost(hertz: Double, share: Double, passes: Bool) throws {
        var scene = PairScene()
        scene.path = PairScene.lowpass(hertz, sampleRateHertz: 48_000)
        let verdict = try verdict(scene)
        guard case .cutOff(let found, let lost) = try #require(verdict.problems.first) else {
            Issue.record("\(verdict.problems)")
            return
        }
        #expect(abs(found - hertz) <= 100)
        for profile in lost {
            // The filter's slope reaches 15 dB about 50 Hz above its edge, 3 % of the band; one tone is 6 % of fast.
            #expect(abs(Double(profile.count) / Double(profile.toneCount) - share) < 0.07, "\(profile)")
        }
        #expect(expectations(verdict).allSatisfy { ($0 == .fails) != passes })
        #expect(
            verdict.problems[0].description.hasPrefix(
                "Tones above \(hertz == 19_800 ? "19.8" : hertz == 19_400 ? "19.4" : "19.0") kHz are lost"))
    }

    /// Checks the rule about lost tones and ripple with the receiver: at the SNR where the rule sees 3 dB of
    /// margin, at least 90 % of tokens decode. With p = 0.97, a loss of eleven of 60 never occurs, and one
    /// of four of 20 has a probability of 0.003.
    /// A room allows `fast` 10 % of lost tones, the others 16 and 20 %; at 19.8 and 19.75 kHz 13 and 16 % are lost.
    @Test(
        arguments: [
            (.fast, 19_900, .works), (.fast, 19_800, .worksWithoutEcho), (.fast, 19_750, .worksWithoutEcho),
            (.standard, 19_900, .works), (.standard, 19_800, .works), (.standard, 19_750, .works),
            (.far, 19_900, .works), (.far, 19_800, .works), (.far, 19_750, .works),
        ] as [(Profile, Double, ProfileOutlook.Expectation)])
    func theRuleHoldsForTheReceiver(profile: Profile, cutOffHertz: Double, expected: ProfileOutlook.Expectation) throws
    {
        var scene = PairScene(snrDecibels: 40)
        scene.path = PairScene.lowpass(cutOffHertz, sampleRateHertz: 48_000)
        let outlook = try #require(try verdict(scene).outlooks.first { $0.profileName == profile.name })
        #expect(outlook.expectation == expected, "\(outlook)")
        let snrDecibels = 40 - (outlook.marginDecibels - ProfileOutlook.neededMarginDecibels)
        #expect(try share(profile, scene.path, snrDecibels: snrDecibels) >= 0.82, "\(snrDecibels) dB")
    }

    /// If two thirds of the tones are lost, not even 25 dB help, as the rule says.
    @Test(arguments: Profile.all)
    func aThirdOfTheTonesIsTooFew(profile: Profile) throws {
        var scene = PairScene(snrDecibels: 25)
        scene.path = PairScene.lowpass(19_000, sampleRateHertz: 48_000)
        #expect(expectations(try verdict(scene)) == [.fails, .fails, .fails])
        #expect(try share(profile, scene.path, snrDecibels: 25) < 0.5)
    }

    /// The share of tokens decoded on a path: of 60, and of 20 in a short run.
    private func share(_ profile: Profile, _ path: ([Float]) -> [Float], snrDecibels: Double) throws -> Double {
        let transmitter = try Transmitter(profile: profile, sampleRateHertz: 48_000)
        var random = SeededGenerator(seed: 77)
        var count = 0
        let tokenCount = TestLength.count(20, long: 60)
        for seed in 1...UInt64(tokenCount) {
            let payload = try Payload(random.bytes(8))
            var air = [Float](repeating: 0, count: 15_000 + 37 * Int(seed))
            air += path(transmitter.samples(payload, amplitude: 0.25))
            air += [Float](repeating: 0, count: 16_000)
            var noise = WhiteNoise(seed: seed)
            noise.add(
                to: &air,
                deviation: WhiteNoise.deviation(amplitude: 0.25, snrDecibels: snrDecibels, sampleRateHertz: 48_000))
            var receiver = try Receiver(sampleRateHertz: 48_000)
            var isHeard = false
            receiver.push(air.span) { isHeard = isHeard || $0.payload == payload }
            receiver.flush { isHeard = isHeard || $0.payload == payload }
            if isHeard { count += 1 }
        }
        return Double(count) / Double(tokenCount)
    }

    /// With echo, tokens are lost through a fall of 20 dB at any level; in noise alone they are not.
    @Test(arguments: [(10, .works), (20, .worksWithoutEcho)] as [(Double, ProfileOutlook.Expectation)])
    func aSteepFallDoesNotWorkWithEcho(decibels: Double, expected: ProfileOutlook.Expectation) throws {
        var scene = PairScene(snrDecibels: 40)
        scene.path = { FrequencyResponse.tilt(decibels: decibels).apply(to: $0, sampleRateHertz: 48_000) }
        #expect(expectations(try verdict(scene)) == [expected, expected, expected])
    }

    /// A fall of 25 dB over the band costs at least 5 dB. The ripple of a large room is no problem of the pair.
    @Test func namesRippleThatCosts() throws {
        var scene = PairScene()
        scene.path = { FrequencyResponse.tilt(decibels: 25).apply(to: $0, sampleRateHertz: 48_000) }
        let problems = try verdict(scene).problems
        guard case .uneven(let ripple, let worst, _) = try #require(problems.first) else {
            Issue.record("\(problems)")
            return
        }
        #expect(abs(ripple - 25) < 2)
        #expect(worst == 19_975)
        for seed in UInt64(1)...6 {
            scene.path = { Room.b.apply(to: $0, sampleRateHertz: 48_000, seed: seed) }
            #expect(try verdict(scene).problems.isEmpty, "seed \(seed)")
        }
    }

    @Test func namesClipping() throws {
        let verdict = try verdict(PairScene(amplitude: 1.5, snrDecibels: 60)) { $0.map { min(max($0, -1), 1) } }
        #expect(verdict.problems.map(\.name) == ["clipping"])
    }

    @Test func namesSilenceAndAbsence() throws {
        let sweep = try Sweep(sampleRateHertz: 48_000, amplitude: 0.25)
        for count in [0, 1, 100_000] {
            let muted = PairVerdict(nothingHeardIn: [Float](repeating: 0, count: count), sweep: sweep)
            #expect(muted.problems == [.silence])
            #expect(muted.summary == "Nothing was heard: no profile will work.")
        }
        var recording = [Float](repeating: 0, count: 100_000)
        var noise = WhiteNoise(seed: 1)
        noise.add(to: &recording, deviation: 0.01)
        let deaf = PairVerdict(nothingHeardIn: recording, sweep: sweep)
        guard case .notHeard(let level) = deaf.problems.first else {
            Issue.record("\(deaf.problems)")
            return
        }
        // 10⁻⁴ over ½, and 5,900 of 24,000 Hz.
        #expect(abs(level - (-36.99 - 6.09)) < 0.2)
        #expect(PairVerdict(nothingHeardIn: [0.5], sweep: sweep).problems.map(\.name) == ["not_heard"])
        #expect(PairVerdict(nothingHeardIn: [.nan], sweep: sweep).problems == [.silence])
    }
}
