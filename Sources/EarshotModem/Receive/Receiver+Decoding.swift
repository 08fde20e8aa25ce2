import EarshotCoding

/// From attempts to frames: steps 7 to 10 of the stages.
extension Receiver {
    /// Decodes what is due, best first, and again what comes to light when decoded frames are taken away.
    mutating func decode(_ onFrame: (ReceivedFrame) -> Void) {
        repeat {
            while var attempt = queue.next(endIndex: history.endIndex) {
                guard let layout = attempt.layout else {
                    examine(attempt)
                    continue
                }
                guard !postpone(attempt) else { continue }
                let view = FrameView(
                    place: attempt.candidate, layout: layout, stages: stages[attempt.profileIndex], history: history)
                switch decoder.decode(view, mayWait: !attempt.hasWaited) {
                case .pathMetricOfNoise: statistics.rejectedByPathMetric += 1
                case .checkMismatch: statistics.rejectedByCheck += 1
                case .disturbed:
                    attempt.hasWaited = true
                    putOff(attempt, until: attempt.due + Receiver.disturbedWait)
                case .decoded(let frame): report(frame, profileIndex: attempt.profileIndex, onFrame)
                }
            }
        } while searchAgain()
        repeats?.decode(history, stages, clock, &recent, &statistics, onFrame)
        for index in stages.indices { recognise(profileIndex: index, onFrame) }
    }

    /// Reports tokens that were heard before, where they were not decoded.
    mutating func recognise(profileIndex: Int, _ onFrame: (ReceivedFrame) -> Void) {
        let stages = stages[profileIndex]
        stages.recognition?.look(heard) { found in
            let length = Double(FrameLayout.token.toneCount * stages.format.samplesPerSymbol)
            guard !recent.contains(found.payload, profileIndex: profileIndex, start: found.start, length: length),
                recognised.insert(found.payload, profileIndex: profileIndex, start: found.start, length: length)
            else { return }
            statistics.recognisedFrames += 1
            onFrame(
                ReceivedFrame(
                    payload: found.payload, profileName: stages.profile.name,
                    startSample: clock.inputSample(found.start), endSample: clock.inputSample(found.start + length),
                    offsetHertz: 0, snrDecibels: found.snrDecibels, pathMetric: 0, isRecognised: true))
        }
    }

    /// Lets an attempt that may well be a chance meeting of a louder frame's tones wait until that one is decided.
    mutating func postpone(_ attempt: Attempt) -> Bool {
        let clearDominance = attempt.hasWaited ? SyncCheck.sureDominance : SyncCheck.clearDominance
        guard attempt.candidate.dominance < clearDominance,
            let end = queue.end(ofClearerThan: attempt, clearDominance: clearDominance),
            Double(end) - attempt.candidate.start <= Double(history.keptSampleCount)
        else { return false }
        putOff(attempt, until: end)
        return true
    }

    mutating func putOff(_ attempt: Attempt, until due: Int) {
        var later = attempt
        later.due = due
        if !queue.insert(later) {
            statistics.rejectedByCrowding += 1
        }
    }

    /// Reports a frame that is not known yet, and takes it out of the baseband.
    mutating func report(_ frame: DecodedFrame, profileIndex: Int, _ onFrame: (ReceivedFrame) -> Void) {
        let stages = stages[profileIndex]
        let tones = FrameTones.tones(of: frame.payload, profile: stages.profile)
        let (start, offsetHertz) = (frame.place.start, frame.place.offsetHertz)
        let length = Double(tones.count) * stages.format.symbolLength(offsetHertz: offsetHertz)
        guard recent.insert(frame.payload, profileIndex: profileIndex, start: start, length: length) else {
            statistics.duplicates += 1
            return
        }
        stages.recognition?.note(frame.payload, tones: tones, at: Int(start))
        statistics.frames += 1
        onFrame(
            ReceivedFrame(
                payload: frame.payload, profileName: stages.profile.name, startSample: clock.inputSample(start),
                endSample: clock.inputSample(start + length), offsetHertz: offsetHertz,
                snrDecibels: frame.snrDecibels, pathMetric: frame.pathMetric))
        queue.removeAttempts(near: frame.place, profileIndex: profileIndex, stages.format)
        let layout = FrameLayout(payloadByteCount: frame.payload.count)
        let view = FrameView(place: frame.place, layout: layout, stages: stages, history: history)
        switch canceller.cancel(view, tones) {
        case .cancelled: statistics.cancelledFrames += 1
        case .tooMany: break
        case .cameAlone:
            let patternLength = length * Double(FrameLayout.syncToneCount) / Double(tones.count)
            lone = start..<start + length - patternLength
            queue.removeAttempts(startingIn: lone, lessClearThan: SyncCheck.clearDominance)
            // All there was is explained. What else meets it looks like a frame, and costs as much as one.
            history.mask(Int(start.rounded())..<Int((start + length).rounded()))
        }
    }
}
