import EarshotModem
import RealModule

/// The two sweeps of a recording, and the measurements from them.
struct HeardSweeps {
    /// Seconds that the noise floor omits at either end: devices that wake up, and the start of the sweep.
    private static let wakingSeconds = 0.05

    /// The arrival of the first sweep, in samples of the whole recording.
    let opening: SweepArrival?
    /// The arrival of the last sweep.
    let closing: SweepArrival?

    init(_ recording: LoopbackRecording) {
        let detector = SweepDetector(recording.program.sweep)
        opening = detector.detect(in: recording.opening.samples)
        let closingStart = Double(recording.closing.wanted.lowerBound)
        closing = detector.detect(in: recording.closing.samples).map { arrival in
            var arrival = arrival
            arrival.firstSample += closingStart
            arrival.strongestSample += closingStart
            return arrival
        }
    }

    /// The response of loudspeaker and microphone, from the first sweep.
    func pair(_ recording: LoopbackRecording) -> Result<PairReport, PairError>? {
        guard let opening else { return nil }
        let program = recording.program
        return Result { () throws(PairError) in
            try PairMeasurement.measure(
                recording: recording.opening.samples, sampleRateHertz: program.sampleRateHertz, sweep: program.sweep,
                arrival: opening, quiet: quiet(recording, before: opening),
                playedAtSample: Double(recording.recordedBefore + program.openingSweep.lowerBound))
        }
    }

    /// The echoes of the room, from the first sweep; nil if it was not heard.
    func room(_ recording: LoopbackRecording) -> RoomResponse? {
        opening.map { RoomResponse(recording.opening.samples, sweep: recording.program.sweep, arrival: $0) }
    }

    /// The level of the band without playback, measured like a token's level; nil if no sweep was heard.
    func quietDecibels(_ recording: LoopbackRecording) -> Double? {
        guard let opening else { return nil }
        var level = BandLevel(sampleRateHertz: recording.program.sampleRateHertz)
        let quiet = quiet(recording, before: opening).clamped(to: recording.opening.samples.indices)
        level.push(recording.opening.samples.span.extracting(quiet))
        return level.decibels(over: 0..<quiet.count)
    }

    private func quiet(_ recording: LoopbackRecording, before opening: SweepArrival) -> Range<Int> {
        let program = recording.program
        let waking = Int(Self.wakingSeconds * Double(program.sampleRateHertz))
        let end = Int(opening.firstSample) - waking
        return min(max(waking, end - program.quiet.count), end)..<end
    }

    /// The verdict for tokens; nil if there is no measurement.
    func verdict(_ recording: LoopbackRecording, _ pair: Result<PairReport, PairError>?) -> PairVerdict? {
        let program = recording.program
        switch pair {
        case .success(let report):
            let level = 20 * Double.log10(Double(program.order.amplitude))
            return PairVerdict(report, tokenLevelDecibels: level, profiles: program.order.profiles)
        case .failure:
            return nil
        case nil:
            guard recording.leftCount >= program.openingSweep.upperBound else { return nil }
            return PairVerdict(nothingHeardIn: recording.opening.samples, sweep: program.sweep)
        }
    }

    /// The difference of the clocks; nil unless both sweeps were heard.
    func clock(_ recording: LoopbackRecording) -> ClockDifference? {
        guard let opening, let closing else { return nil }
        let program = recording.program
        let closingStart = recording.closing.wanted.lowerBound
        let spacing = SweepSpacing(
            program.sweep, first: recording.opening.samples, firstStart: Int(opening.strongestSample),
            last: recording.closing.samples, lastStart: Int(closing.strongestSample) - closingStart)
        var last = closing
        last.strongestSample = opening.strongestSample + spacing.samples() + Double(closingStart)
        return .ppm(
            first: opening, last: last,
            sentSpacingSamples: Double(program.closingSweep.lowerBound - program.openingSweep.lowerBound))
    }
}
