import EarshotBasics
import EarshotModem

/// A recording of a program that another device played: it finds the program and judges the frames.
package enum RecordedProgram {
    /// The reason why a recording cannot be judged.
    package enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
        /// Neither sweep is in it.
        case noSweep
        /// One sweep is in it, without a token: it may be the first or the last one.
        case oneSweepAlone
        /// It is shorter than a sweep with its surroundings.
        case tooShort(seconds: Double)

        /// The problem, and what to do.
        package var description: String {
            switch self {
            case .noSweep:
                "no sweep of the schedule is in the recording: play louder, come closer, or give the options that "
                    + "'earshot field play' had"
            case .oneSweepAlone:
                "one sweep of the schedule is in the recording, and no token: record from before its beginning to after its end"
            case .tooShort(let seconds):
                "\(DecimalText.text(seconds, decimals: 1)) s are too short for the schedule: record from before its beginning to "
                    + "after its end"
            }
        }
    }

    /// The maximum difference of clocks, and the time left for echoes, in seconds.
    private static let maximumDrift = 0.002
    private static let slackSeconds = 0.2
    private static let blockLength = 8_192

    /// Judges a recording.
    /// - Parameters:
    ///   - samples: one channel at the program's rate, full scale 1.
    ///   - onProgress: gets the share that is done, 0 ... 1.
    package static func report(
        _ samples: [Float], of program: LoopbackProgram, onProgress: @escaping @Sendable (Double) -> Void = { _ in }
    ) throws(Problem) -> LoopbackReport {
        let (start, isCertain) = try programStart(samples, program)
        let run = LoopbackRun(program, onProgress: onProgress)
        var ear = OfflineEar(run)
        run.left(0, atSeconds: 0)
        let first = max(start, 0)
        let end = min(samples.count, start + program.sampleCount)
        var position = first
        while position < end {
            let count = min(blockLength, end - position)
            ear.hear(samples.span.extracting(position..<position + count))
            position += count
            run.left(position - start, atSeconds: ear.seconds)
            run.progressed(to: Double(position - first) / Double(end - first))
        }
        ear.finish()
        let report = run.report()
        if !isCertain, report.decodedCount == 0 { throw .oneSweepAlone }
        return report
    }

    /// The sample of the recording with which the program begins, negative if the recording began later; and whether that is certain:
    /// one sweep alone could also be the last of a recording that began late.
    private static func programStart(
        _ samples: [Float], _ program: LoopbackProgram
    ) throws(Problem) -> (sample: Int, isCertain: Bool) {
        let rate = Double(program.sampleRateHertz)
        guard samples.count > program.sweep.samples.count + Int(slackSeconds * rate) else {
            throw .tooShort(seconds: Double(samples.count) / rate)
        }
        let detector = SweepDetector(program.sweep)
        guard let loudest = detector.detect(in: samples) else { throw .noSweep }
        // The loudest sweep is the first or the last one, depending on the place of the other.
        let distance = program.closingSweep.lowerBound - program.openingSweep.lowerBound
        func partner(_ direction: Int) -> SweepArrival? {
            let slack = Int(maximumDrift * Double(distance) + slackSeconds * rate)
            let place = Int(loudest.firstSample) + direction * distance
            let range = place - slack..<place + program.sweep.samples.count + slack
            return range.overlaps(samples.indices) ? detector.detect(in: samples, range: range) : nil
        }
        var opening = loudest
        var isCertain = true
        switch (partner(-1), partner(1)) {
        case (let earlier?, nil): opening = earlier
        case (let earlier?, let later?) where earlier.qualityDecibels > later.qualityDecibels: opening = earlier
        case (nil, nil) where Int(loudest.firstSample) + distance > samples.count:
            // Only the last sweep was heard, or the recording ended early: the program's start must be in the
            // recording.
            let start = Int(loudest.firstSample) - program.closingSweep.lowerBound
            if start > -program.quiet.count { return (start, true) }
            isCertain = false
        default: break
        }
        return (Int(opening.firstSample) - program.openingSweep.lowerBound, isCertain)
    }
}
