package import EarshotModem

/// The results of a loopback test.
package struct LoopbackReport: Sendable, Equatable {
    /// The profiles that were tested, in the library's order.
    package let profiles: [LoopbackProfileReport]
    /// The same for each profile at each level of the program, the loudest first.
    package let levels: [LoopbackLevelReport]
    /// Frames of other profiles, and frames that were not stored; all of them wrong.
    package let otherWrongCount: Int
    /// The first of the wrong frames.
    package let wrongFrames: [ReceivedFrame]
    /// The response of loudspeaker and microphone, or the reason why it could not be measured; nil if no sweep was
    /// heard.
    package let pair: Result<PairReport, PairError>?
    /// The echoes of the room; nil if no sweep was heard.
    package let room: RoomResponse?
    /// The verdict on the pair; nil if the sweep was heard but could not be measured, or if nothing was played.
    package let verdict: PairVerdict?
    /// The difference of the recorder's and the player's clocks; nil if it could not be measured, as with dropouts.
    package let clock: ClockDifference?
    /// Whether samples were lost or inserted between the sweeps without a report, by the starts of the tokens.
    package let hasHole: Bool
    /// The stretches that were not played, or not recorded.
    package let dropouts: [LoopbackDropout]
    /// Whether it was ended early.
    package let isCancelled: Bool
    /// The share of the program that was played, 0 ... 1.
    package let playedSeconds: Double

    static let maximumWrongFrameCount = 10

    /// Tokens that were played.
    package var sentCount: Int { profiles.reduce(0) { $0 + $1.sentCount } }
    /// Played tokens that were heard.
    package var decodedCount: Int { profiles.reduce(0) { $0 + $1.decodedCount } }
    /// Frames that were not sent, or not at that time.
    package var wrongCount: Int { profiles.reduce(otherWrongCount) { $0 + $1.wrongCount } }
    /// Frames that had been reported before.
    package var duplicateCount: Int { profiles.reduce(0) { $0 + $1.duplicateCount } }

    /// Whether every profile heard at least this share of its tokens, 0 ... 1, and no frame was wrong or a duplicate.
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
        var snrDecibels = [Double?](repeating: nil, count: program.sendings.count)
        for (heard, judgement) in zip(recording.heard, judge.judgements) {
            let tally = tallies.firstIndex { $0.name == heard.frame.profileName }
            switch judgement {
            case .decoded(let index):
                isDecoded[index] = true
                snrDecibels[index] = Double(heard.frame.snrDecibels)
                points.append(FrameClock.Point(heard.frame, program.sendings[index]))
                if recording.wasPlayed(index), let tally {
                    let departure = recording.departureSeconds.dropFirst(index).first
                    tallies[tally].addDecoded(heard, latencySeconds: departure.map { heard.atSeconds - $0 })
                }
            case .duplicate:
                if let tally { tallies[tally].duplicateCount += 1 }
            case .wrong:
                if let tally { tallies[tally].wrongCount += 1 } else { otherWrongCount += 1 }
                if wrongFrames.count < Self.maximumWrongFrameCount { wrongFrames.append(heard.frame) }
            }
        }
        for (index, sending) in program.sendings.enumerated() where recording.wasPlayed(index) {
            guard let tally = tallies.firstIndex(where: { $0.name == sending.profile.name }) else { continue }
            tallies[tally].sentCount += 1
            if !isDecoded[index] { tallies[tally].missing.append(sending.payload) }
        }
        profiles = tallies.map(LoopbackProfileReport.init)
        levels = program.order.stepsDecibels.flatMap { step in
            program.order.profiles.map { profile in
                let indices = program.sendings.indices.filter { index in
                    let sending = program.sendings[index]
                    return sending.stepDecibels == step && sending.profile.name == profile.name
                        && recording.wasPlayed(index)
                }
                return LoopbackLevelReport(
                    profileName: profile.name, stepDecibels: step, sentCount: indices.count,
                    decodedCount: indices.count { isDecoded[$0] },
                    snrDecibels: Spread(indices.compactMap { snrDecibels[$0] }))
            }
        }
        self.otherWrongCount = otherWrongCount
        self.wrongFrames = wrongFrames
        pair = sweeps.pair(recording)
        room = sweeps.room(recording)
        verdict = sweeps.verdict(recording, pair)
        // A dropout of a millisecond a minute looks like 17 ppm.
        let sweepClock = recording.dropouts.isEmpty ? sweeps.clock(recording) : nil
        let sweepStarts = program.openingSweep.lowerBound..<program.closingSweep.lowerBound
        hasHole = sweepClock.map { ClockStep.isPresent(in: points, clock: $0, sweepStarts: sweepStarts) } ?? false
        clock = recording.dropouts.isEmpty && !hasHole ? sweepClock ?? FrameClock.difference(points) : nil
        dropouts = recording.dropouts
        isCancelled = recording.isCancelled
        playedSeconds = Double(recording.leftCount) / Double(program.sampleRateHertz)
    }
}
