import EarshotBasics
import EarshotCoding
import EarshotModem
import Foundation
import TestSupport
import Testing

@testable import EarshotAudio
@testable import EarshotLive

/// A listener's work on made-up blocks, without a device.
@Suite(.optimized) struct ListeningSessionTests {
    static let rate = 48_000

    /// A device that delivers the samples of a test, in blocks of 30 ms.
    struct Scene {
        var session: ListeningSession
        let channelCount: Int
        /// Samples so far, lost ones included.
        private(set) var position = 0
        private(set) var events: [ListenerEvent] = []
        /// The time at which the sample at 0 was recorded.
        let origin: Int64 = 5_000_000_000
        /// The time after the origin.
        let time = Time()

        final class Time { var seconds = 0.0 }

        init(channelCount: Int = 1, _ options: Listener.Options = Listener.Options()) {
            self.channelCount = channelCount
            let format = DeviceFormat(
                name: "made up", sampleRateHertz: rate, channelCount: channelCount, encoding: .f32,
                periodFrameCount: 1_440, bufferFrameCount: 24_000, path: .direct)
            session = ListeningSession(format: format, options: options) { [origin, time] in
                origin + Int64(time.seconds * 1e9)
            }
        }

        var heard: [HeardFrame] { events.compactMap { if case .heard(let heard) = $0 { heard } else { nil } } }
        var gaps: [Gap] { events.compactMap { if case .gap(let gap) = $0 { gap } else { nil } } }
        var levels: [LevelReport] { events.compactMap { if case .level(let level) = $0 { level } else { nil } } }
        var summaries: [ListenerSummary] { events.compactMap { if case .ended(let all) = $0 { all } else { nil } } }

        /// Pushes samples, the same on all channels except for `gains`.
        mutating func push(_ samples: [Float], gains: [Float]? = nil, dropped: Int = 0, own: Set<Payload> = []) {
            let gains = gains ?? [Float](repeating: 1, count: channelCount)
            position += dropped
            for first in stride(from: 0, to: samples.count, by: 1_440) {
                let part = samples[first..<min(first + 1_440, samples.count)]
                position += part.count
                var block = CaptureBlock()
                block.frameCount = part.count
                block.droppedFrameCount = first == 0 ? dropped : 0
                block.endNanoseconds = origin + Int64(position) * 1_000_000_000 / Int64(rate)
                let interleaved = part.flatMap { sample in gains.map { $0 * sample } }
                session.take(block, interleaved.span, own: own, ringFill: 0.5) { events.append($0) }
            }
        }

        mutating func notice(_ notice: CaptureNotice) {
            var block = CaptureBlock()
            block.notice = notice
            session.take(block, [Float]().span, own: [], ringFill: 0) { events.append($0) }
        }

        mutating func finish() {
            let summary = session.finish(own: []) { events.append($0) }
            events.append(.ended(summary))
        }

        /// Checks that every frame has the time at which its samples were recorded.
        func expectTimesOfPositions() {
            for heard in heard {
                let expected = origin + Int64(heard.frame.startSample) * 1_000_000_000 / Int64(rate)
                // A nanosecond for each rounding.
                #expect(abs(heard.startNanoseconds - expected) < 10, "\(heard.startNanoseconds - expected) ns off")
            }
        }
    }

    /// Five streams of `fast` sync patterns with up to three more tones each exceed the budget of decoding
    /// work. The session reports that at most once a second, and every attempt that the receiver left out is
    /// in one of the reports or in the summary.
    @Test func soundBeyondTheBudgetIsReported() throws {
        var air = [Float](repeating: 0, count: 24 * Self.rate)
        for stream in 0..<5 {
            // Another rate moves the tones, by 18 Hz from one stream to the next.
            let transmitter = try Transmitter(profile: .fast, sampleRateHertz: Self.rate + 45 * (stream - 2))
            var (first, number) = (2_000 * stream, 0)
            while first < air.count {
                let bytes = (0..<8).map { UInt8(truncatingIfNeeded: 31 * number + 97 * stream + 53 * $0) }
                let payload = try Payload(bytes)
                let begin = transmitter.samples(payload, amplitude: 0.15).prefix(512 * (8 + number % 4))
                for (index, sample) in zip(first..., begin) where index < air.count { air[index] += sample }
                (first, number) = (first + begin.count, number + 1)
            }
        }
        var scene = Scene()
        scene.push(air)
        scene.finish()
        let overloads = scene.events.compactMap { if case .overloaded(let overload) = $0 { overload } else { nil } }
        #expect(!overloads.isEmpty && overloads.allSatisfy { $0.attemptCount > 0 })
        for (earlier, later) in zip(overloads, overloads.dropFirst()) {
            #expect(later.atSeconds - earlier.atSeconds >= 1)
        }
        let reportedCount = overloads.reduce(0) { $0 + $1.attemptCount }
        #expect(try reportedCount <= #require(scene.summaries.first).statistics.rejectedByBudget)
    }

    static let payload = try! Payload(hex: "0123456789abcdef")

    static func frame(_ profile: Profile = .fast) throws -> [Float] {
        try Transmitter(profile: profile, sampleRateHertz: rate).samples(payload, amplitude: 0.25)
    }

    static func silence(_ seconds: Double) -> [Float] {
        var random = SeededGenerator(seed: 61)
        return random.samples(Int(seconds * Double(rate))).map { 0.001 * $0 }
    }

    @Test func gapsShiftWhatFollowsAndNothingElse() throws {
        var scene = Scene()
        let frame = try Self.frame()
        scene.push(Self.silence(1) + frame + Self.silence(0.5))
        scene.notice(.lost(.server))
        scene.push(Self.silence(0.5) + frame + Self.silence(0.5), dropped: 3 * Self.rate + 7)
        scene.finish()

        let starts = [Self.rate, Self.rate + frame.count + Self.rate + 3 * Self.rate + 7]
        try #require(scene.heard.count == 2)
        for (heard, start) in zip(scene.heard, starts) {
            #expect(heard.payload == Self.payload)
            // Half a symbol of `fast`.
            #expect(abs(heard.frame.startSample - start) < 256, "\(heard.frame.startSample) instead of \(start)")
        }
        scene.expectTimesOfPositions()
        let gap = Gap(
            reason: .server, atSeconds: Double(starts[0] + frame.count + Self.rate / 2) / 48_000,
            seconds: Double(3 * Self.rate + 7) / 48_000)
        #expect(scene.gaps == [gap])
        let summary = try #require(scene.summaries.first)
        #expect(scene.summaries.count == 1)
        #expect(summary.frameCount == 2 && summary.gapCount == 1)
        #expect(summary.gapSeconds == gap.seconds)
        #expect(abs(summary.heardSeconds - 2.5 - 2 * Double(frame.count) / 48_000) < 1e-3)
    }

    /// A burst at −12.3 dB, by 0.047²/2 over 0.95²/3/16 (noise of ±0.95 has 1,500 of
    /// 24,000 Hz in the band): too quiet alone.
    @Test(arguments: [1, 4])
    func aQuietBurstIsHeardIfWanted(combinedCount: Int) throws {
        var options = Listener.Options()
        options.combinedCount = combinedCount
        var scene = Scene(options)
        let burst = try Transmitter(sampleRateHertz: Self.rate).burst(Self.payload, frameCount: 4, amplitude: 0.047)
        var random = SeededGenerator(seed: 5)
        var samples = random.samples(burst.count + 2 * Self.rate).map { 0.95 * $0 }
        for (index, sample) in burst.enumerated() { samples[Self.rate + index] += sample }
        scene.push(samples)
        scene.finish()
        #expect(scene.heard.map(\.payload) == (combinedCount > 1 ? [Self.payload] : []))
    }

    /// The gap begins before the receiver has decided, so it decides in the gap.
    @Test func aFrameThatIsDecidedInAGapWasHeardBeforeIt() throws {
        var scene = Scene()
        scene.time.seconds = 20
        scene.push(Self.silence(1) + (try Self.frame()) + Self.silence(0.005))
        #expect(scene.heard.isEmpty)
        scene.push(Self.silence(0.1), dropped: 5 * Self.rate)
        try #require(scene.heard.count == 1)
        scene.expectTimesOfPositions()
        // Nanoseconds, rounded.
        let endSeconds = Double(scene.heard[0].frame.endSample) / Double(Self.rate)
        #expect(abs(scene.heard[0].latencySeconds - (20 - endSeconds)) < 1e-7)
    }

    @Test func aFrameIsReportedOnceOrForEveryChannelOrOfTheMean() throws {
        let sound = Self.silence(0.5) + (try Self.frame()) + Self.silence(0.5)
        // The channels differ only in gain, so all have the same SNR.
        var every = Listener.Options()
        every.reportsEveryChannel = true
        var mixing = Listener.Options()
        mixing.mixesChannels = true
        for (options, channels) in [(Listener.Options(), 1), (every, 3), (mixing, 1)] {
            var scene = Scene(channelCount: 3, options)
            scene.push(sound, gains: [1, 0.5, 0.25])
            scene.finish()
            #expect(scene.heard.count == channels)
            #expect(Set(scene.heard.map(\.channel)).count == channels)
            #expect(scene.summaries.first?.frameCount == channels)
            scene.expectTimesOfPositions()
        }
    }

    @Test func whatIsOwnIsMarked() throws {
        let sound = Self.silence(0.5) + (try Self.frame()) + Self.silence(0.5)
        for (own, isOwn) in [([Self.payload], true), ([try Payload(hex: "00")], false)] as [(Set<Payload>, Bool)] {
            var scene = Scene()
            scene.push(sound, own: own)
            #expect(scene.heard.map(\.isOwn) == [isOwn])
        }
    }

    @Test func theLimitCountsGaps() throws {
        var options = Listener.Options()
        options.secondsLimit = 3
        var scene = Scene(options)
        scene.push(Self.silence(1))
        scene.push(Self.silence(0.5), dropped: Self.rate)
        #expect(!scene.session.isOver)
        scene.push(Self.silence(1))
        #expect(scene.session.isOver)
        scene.finish()
        #expect(scene.summaries.first?.heardSeconds == 2)
        #expect(scene.summaries.first?.gapSeconds == 1)

        var lost = Scene(options)
        lost.push(Self.silence(0.03), dropped: 10 * Self.rate)
        #expect(lost.session.isOver)
        lost.finish()
        #expect(lost.summaries.first?.heardSeconds == 0)
    }

    @Test func theLimitCountsTimeWhereSoundIsLate() throws {
        var options = Listener.Options()
        options.secondsLimit = 3
        var scene = Scene(options)
        scene.push(Self.silence(1))
        func lateness(_ seconds: Double) -> ListeningSession.Lateness {
            scene.time.seconds = seconds
            return scene.session.lateness
        }
        // A device that starts late is no delay yet.
        #expect(lateness(3.5) == .none && lateness(4.5) == .late && lateness(5.5) == .tooLate)
        scene.notice(
            .interrupted(DeviceError(.vanished, operation: "record from", device: "x", detail: "y", advice: "z")))
        #expect(lateness(2.5) == .none && lateness(3.5) == .late)
        let endless = Scene()
        endless.time.seconds = 1e9
        #expect(endless.session.lateness == .none)
    }

    @Test func noticesBecomeEvents() throws {
        let error = DeviceError(.vanished, operation: "record from", device: "x", detail: "y", advice: "z")
        var scene = Scene()
        scene.notice(.interrupted(error))
        #expect(!scene.session.isOver)
        scene.notice(.lost(.interruption))
        scene.push(Self.silence(0.1), dropped: 480)
        #expect(scene.gaps.map(\.reason) == [.interruption])
        scene.notice(.ended(error))
        #expect(scene.session.isOver)
        scene.finish()
        #expect(scene.summaries.map(\.failure) == [error])
        guard case .interrupted(error)? = scene.events.first else {
            Issue.record("\(scene.events)")
            return
        }
    }

    @Test func levelsAreThoseOfTheSound() {
        var options = Listener.Options()
        options.levelIntervalSeconds = 0.5
        var scene = Scene(options)
        // One of the tones, of amplitude 0.1.
        scene.push((0..<3 * Self.rate).map { Float(0.1 * sin(2 * .pi * 19_203.125 * Double($0) / 48_000)) })
        // Blocks are 30 ms, so a report comes every 0.51 s.
        #expect(scene.levels.count == 5)
        for level in scene.levels {
            #expect(abs(level.bandDecibels + 20) < 1, "\(level)")
            #expect(abs(level.peakDecibels + 20) < 0.1)
            #expect(level.ringFill == 0.5)
        }
        #expect(scene.levels.map { ($0.atSeconds / 0.51).rounded() } == [1, 2, 3, 4, 5])
    }
}
