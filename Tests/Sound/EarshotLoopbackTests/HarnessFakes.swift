import EarshotAudio
import EarshotChannel
import EarshotCoding
import EarshotLoopback

@testable import EarshotModem

/// A medium that receives everything as it was sent, except for the changes of a test.
struct FakeMedium: LoopbackMedium {
    /// The number of samples recorded before playback began.
    var leadSampleCount = 20_000
    /// Whether the recording has sound, including the sweeps, or is silent.
    var hasSound = true
    /// The share of the program that is played.
    var playedSampleCount: Int?
    var dropouts: [LoopbackDropout] = []
    /// The clock when playback begins.
    var clockSeconds = 1_000.0
    /// The delay of events after the ends of their frames.
    var decodingSeconds = 0.125
    /// Changes the frames that are heard.
    var change: @Sendable (inout [ReceivedFrame]) -> Void = { _ in }

    var description: String { "fake" }

    func carry(_ run: LoopbackRun) {
        let rate = Double(run.program.sampleRateHertz)
        let played = playedSampleCount ?? run.program.sampleCount
        let lead = [Float](repeating: 0, count: leadSampleCount)
        run.recorded(lead.span)
        run.left(0, atSeconds: clockSeconds)
        var frames = run.program.sendings.map { Self.frame($0, later: leadSampleCount) }
        change(&frames)
        frames.sort { $0.endSample < $1.endSample }
        var pending = frames[...]
        var stream = ProgramStream(run.program)
        var block = [Float](repeating: 0, count: 4_800)
        while stream.position < played {
            var room = block.mutableSpan
            let count = stream.read(into: &room)
            if !hasSound { block = [Float](repeating: 0, count: block.count) }
            run.recorded(block.span.extracting(0..<count))
            run.left(stream.position, atSeconds: clockSeconds + Double(stream.position) / rate)
            while let frame = pending.first, frame.endSample <= stream.position + leadSampleCount {
                let seconds = clockSeconds + Double(frame.endSample - leadSampleCount) / rate + decodingSeconds
                run.received(pending.removeFirst(), atSeconds: seconds)
            }
        }
        for dropout in dropouts { run.dropped(dropout) }
    }

    static func frame(_ sending: LoopbackProgram.Sending, later: Int) -> ReceivedFrame {
        ReceivedFrame(
            payload: sending.payload, profileName: sending.profile.name,
            startSample: sending.samples.lowerBound + later, endSample: sending.samples.upperBound + later,
            offsetHertz: 0, snrDecibels: 40, pathMetric: 4)
    }
}

/// Programs for tests.
enum TestProgram {
    static func make(
        _ profiles: [Profile] = [.fast], count: Int = 10, seed: UInt64 = 1, rate: Int = 48_000
    ) throws -> LoopbackProgram {
        var order = LoopbackProgram.Order()
        order.profiles = profiles
        order.tokensPerProfile = count
        order.seed = seed
        order.sampleRateHertz = rate
        return try LoopbackProgram(order)
    }

    static func report(_ program: LoopbackProgram, through medium: some LoopbackMedium) throws -> LoopbackReport {
        let run = LoopbackRun(program)
        try medium.carry(run)
        return run.report()
    }
}
