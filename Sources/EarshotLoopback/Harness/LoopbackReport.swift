package import EarshotModem

/// What a loopback test came to.
package struct LoopbackReport: Sendable, Equatable {
    /// The profiles that were tested, in the library's order.
    package let profiles: [LoopbackProfileReport]
    /// Frames of other profiles, and those beyond what a run keeps; all of them wrong.
    package let otherWrongCount: Int
    /// The first of the wrong frames.
    package let wrongFrames: [ReceivedFrame]
    /// What the pair of loudspeaker and microphone does, or why that could not be measured; nil where no sweep was
    /// heard.
    package let pair: Result<PairReport, PairError>?
    /// What the pair is good for; nil where it could not be measured although it was heard, or nothing was played.
    package let verdict: PairVerdict?
    /// How far the clocks of recorder and player are apart; nil where it could not be measured, as with dropouts.
    package let clock: ClockDifference?
    /// What was not played, or not recorded.
    package let dropouts: [LoopbackDropout]
    /// Whether it was ended early.
    package let isCancelled: Bool
    /// How much of the program was played.
    package let playedSeconds: Double

    static let largestWrongFrameCount = 10

    /// Tokens that were played.
    package var sentCount: Int { profiles.reduce(0) { $0 + $1.sentCount } }
    /// Those of them that were heard.
    package var decodedCount: Int { profiles.reduce(0) { $0 + $1.decodedCount } }
    /// Frames that were not sent, or not then.
    package var wrongCount: Int { profiles.reduce(otherWrongCount) { $0 + $1.wrongCount } }
    /// Frames reported more than once.
    package var duplicateCount: Int { profiles.reduce(0) { $0 + $1.duplicateCount } }

    /// Whether every profile heard at least that share of its tokens, 0 ... 1, and nothing was wrong or duplicated.
    package func isPassed(requiredShare: Double) -> Bool {
        otherWrongCount == 0 && profiles.allSatisfy { $0.isPassed(requiredShare: requiredShare) }
    }

    init(judging recording: LoopbackRecording) {
        let program = recording.program
        let sweeps = HeardSweeps(recording)
        let judge = LoopbackJudge(recording, TimeAlignment(recording, sweeps))
        let quietDecibels = sweeps.quietDecibels(recording)
        var tallies = program.order.profiles.map { ProfileTally($0.name, quietDecibels: quietDecibels) }
        var otherWrongCount = recording.unkeptFrameCount
        var wrongFrames: [ReceivedFrame] = []
        var points: [FrameClock.Point] = []
        var isDecoded = [Bool](repeating: false, count: program.sendings.count)
        for (heard, judgement) in zip(recording.heard, judge.judgements) {
            let tally = tallies.firstIndex { $0.name == heard.frame.profileName }
            switch judgement {
            case .decoded(let index):
                isDecoded[index] = true
                points.append(FrameClock.Point(heard.frame, program.sendings[index]))
                if recording.wasPlayed(index), let tally {
                    let departure = recording.departureSeconds.dropFirst(index).first
                    tallies[tally].addDecoded(heard, latencySeconds: departure.map { heard.atSeconds - $0 })
                }
            case .duplicate:
                if let tally { tallies[tally].duplicateCount += 1 }
            case .wrong:
                if let tally { tallies[tally].wrongCount += 1 } else { otherWrongCount += 1 }
                if wrongFrames.count < Self.largestWrongFrameCount { wrongFrames.append(heard.frame) }
            }
        }
        for (index, sending) in program.sendings.enumerated() where recording.wasPlayed(index) {
            guard let tally = tallies.firstIndex(where: { $0.name == sending.profile.name }) else { continue }
            tallies[tally].sentCount += 1
            if !isDecoded[index] { tallies[tally].missing.append(sending.payload) }
        }
        profiles = tallies.map(LoopbackProfileReport.init)
        self.otherWrongCount = otherWrongCount
        self.wrongFrames = wrongFrames
        pair = sweeps.pair(recording)
        verdict = sweeps.verdict(recording, pair)
        // A dropout of a millisecond a minute looks like 17 ppm.
        clock = recording.dropouts.isEmpty ? sweeps.clock(recording) ?? FrameClock.difference(points) : nil
        dropouts = recording.dropouts
        isCancelled = recording.isCancelled
        playedSeconds = Double(recording.leftCount) / Double(program.sampleRateHertz)
    }
}
