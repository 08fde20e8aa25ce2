import EarshotDSP

/// Finds pilot tones in the baseband, such as those of public-address systems and switching supplies, and removes them
/// before all other stages.
///
/// `PilotScan` cheaply finds places where a tone may sound all the time, and checks whether it is even.
/// `PilotEstimator` then examines the latest 0.18 s. If a tone sounds there all the time, evenly and in phase, a
/// `PilotTracker` follows it. The canceller removes it from these 0.18 s of the history and from all later samples.
///
/// A tone is found 0.19 to 0.28 s after it begins, and released 43 ms after it stops; the canceller then restores these
/// 43 ms of the history. Earlier samples do not change. It tracks up to eight tones. No allocation after `init`.
struct PilotCanceller: ~Copyable {
    /// The maximum number of tones at once.
    static let maximumCount = 8
    /// A scan ends after this many rejected places.
    private static let maximumRefusalCount = 3
    /// Two tones are at least 8 Hz of 3 kHz apart: 0.18 s resolve 5.5 Hz.
    private static let minimumDistance = 8.0 / 3_000
    /// A slightly moving tone leaves a skirt beside its place, which falls with the square of the distance. A tone with
    /// less than (4 Hz/distance)² of another one's power, −28 dB at 100 Hz, is part of that skirt.
    private static let skirt = 4.0 / 3_000
    /// The number of rounds in which several new tones are estimated again in turn.
    private static let settlingCount = 6
    /// After this many lost samples (1 s) the canceller forgets all tones.
    private static let longestHole = 3_000
    /// The number of samples that are restored when a tone stops: those that pass before the tracker notices.
    private static let mendedCount = 4 * BasebandFormat.quantum

    private var tones: [PilotTracker] = []
    private var estimator = PilotEstimator()
    private var scan = PilotScan()
    private var lostCount = 0

    init() {
        tones.reserveCapacity(PilotCanceller.maximumCount)
    }

    /// The number of tones that are tracked.
    var count: Int { tones.count }

    /// Whether one of the latest spectra has a loud bin: `PilotScan.hasLoudBin`.
    var hearsLoudBin: Bool { scan.hasLoudBin }

    /// The next end index of the history after `index` at which the canceller looks for new tones.
    func nextScanIndex(after index: Int) -> Int { PilotScan.nextIndex(after: index) }

    /// The frequency of a tracked tone, in cycles a sample.
    func cyclesPerSample(_ index: Int) -> Double { tones[index].cyclesPerSample }

    /// Removes the tracked tones from x[range], the next samples, all of one quantum.
    mutating func remove(from x: inout [ComplexSample], _ range: Range<Int>) {
        lostCount = 0
        guard !tones.isEmpty else { return }
        var all = x.mutableSpan
        var samples = all._mutatingExtracting(range)
        for index in tones.indices {
            tones[index].remove(from: &samples)
        }
        // A tracker listens only after all tones are removed, so that it does not hear another one.
        for index in tones.indices {
            tones[index].listen(to: samples.span)
        }
    }

    /// Records that the next `count` samples, all of one quantum, were lost.
    mutating func skip(_ count: Int) {
        lostCount += count
        scan.forget()
        if lostCount > PilotCanceller.longestHole {
            tones.removeAll(keepingCapacity: true)
        }
        for index in tones.indices {
            tones[index].skip(count)
        }
    }

    /// At the end of a quantum of the history: updates the trackers, and looks for new tones when a scan is due.
    /// - Returns: the index from which the new tones were removed from the history; nil if there are none.
    mutating func finishQuantum(_ history: BasebandHistory) -> Int? {
        if !tones.isEmpty {
            follow(history)
        }
        guard PilotScan.isDue(history) else { return nil }
        let knownCount = tones.count
        look(history)
        return tones.count > knownCount ? history.endIndex - PilotEstimator.sampleCount : nil
    }

    private mutating func follow(_ history: BasebandHistory) {
        var kept = 0
        for index in tones.indices {
            tones[index].finishQuantum()
            if tones[index].isThere {
                tones[kept] = tones[index]
                kept += 1
            } else {
                let tone = tones[index]
                let from = history.endIndex - PilotCanceller.mendedCount
                guard from >= history.lostEndIndex else { continue }
                history.change(from: from, count: PilotCanceller.mendedCount) { tone.restore(to: &$0) }
            }
        }
        tones.removeLast(tones.count - kept)
    }

    private mutating func look(_ history: BasebandHistory) {
        guard scan.look(history), tones.count < PilotCanceller.maximumCount else { return }
        let knownCount = tones.count
        var refusals = 0
        while refusals < PilotCanceller.maximumRefusalCount, let place = scan.loudest() {
            if isEven(place, history),
                find(near: place.cyclesPerSample, newFrom: knownCount, mayBePair: refusals == 0, history)
            {
                guard tones.count < PilotCanceller.maximumCount else { return }
                scan.lookAgain(history)
            } else {
                scan.passOver(place)
                refusals += 1
            }
        }
    }

    /// Whether a place is loud all the time in the stretch that the estimator examines.
    private func isEven(_ place: PilotScan.Place, _ history: BasebandHistory) -> Bool {
        let count = PilotEstimator.sampleCount
        return history.withSamples(from: history.endIndex - count, count: count) { scan.isEven(place, $0) }
    }

    /// Looks for a steady tone at the history's end, or for two close to each other, and removes it from the history.
    /// - Parameter newFrom: the index of the first tone that this scan found.
    private mutating func find(
        near cyclesPerSample: Double, newFrom: Int, mayBePair: Bool, _ history: BasebandHistory
    ) -> Bool {
        let knownCount = tones.count
        let first = estimate(near: cyclesPerSample, history)
        guard first.amplitude.power.isNormal else { return false }
        if first.isSteady {
            add(first, history)
        } else {
            guard mayBePair, knownCount + 2 <= PilotCanceller.maximumCount, first.mayBePair else { return false }
            add(first, history)
            add(estimate(near: cyclesPerSample, history), history)
        }
        let isSteady = settle(from: newFrom, history)
        if isSteady && standApart(from: knownCount) { return true }
        for index in knownCount..<tones.count {
            let tone = tones[index]
            change(history) { tone.restore(to: &$0) }
        }
        tones.removeLast(tones.count - knownCount)
        return false
    }

    private mutating func estimate(
        near cyclesPerSample: Double, _ history: BasebandHistory
    ) -> PilotEstimate {
        let count = PilotEstimator.sampleCount
        return history.withSamples(from: history.endIndex - count, count: count) {
            estimator.fit($0, near: cyclesPerSample)
        }
    }

    private mutating func add(_ estimate: PilotEstimate, _ history: BasebandHistory) {
        let tone = PilotTracker(estimate, sampleCount: PilotEstimator.sampleCount)
        change(history) { tone.removeBackwards(from: &$0) }
        tones.append(tone)
    }

    private func change(_ history: BasebandHistory, _ body: (inout MutableSpan<ComplexSample>) -> Void) {
        let count = PilotEstimator.sampleCount
        history.change(from: history.endIndex - count, count: count, body)
    }

    /// Estimates each of several new tones again, without the others.
    /// - Returns: whether all of them are steady.
    private mutating func settle(from first: Int, _ history: BasebandHistory) -> Bool {
        guard tones.count - first > 1 else { return true }
        let count = PilotEstimator.sampleCount
        var areSteady = true
        for _ in 0..<PilotCanceller.settlingCount {
            areSteady = true
            for index in first..<tones.count {
                let old = tones[index]
                change(history) { old.restore(to: &$0) }
                let estimate = history.withSamples(from: history.endIndex - count, count: count) {
                    estimator.refit($0, at: old.cyclesPerSample)
                }
                let new = PilotTracker(estimate, sampleCount: count)
                change(history) { new.removeBackwards(from: &$0) }
                tones[index] = new
                areSteady = areSteady && estimate.isSteady
            }
        }
        return areSteady
    }

    /// Whether the tones from `first` on are separate tones: neither too close to another tone nor part of a louder
    /// one's skirt.
    private func standApart(from first: Int) -> Bool {
        for index in first..<tones.count {
            for other in 0..<index {
                let distance = abs(tones[index].cyclesPerSample - tones[other].cyclesPerSample)
                let ratio = Double(tones[index].amplitude.power / tones[other].amplitude.power)
                if distance < PilotCanceller.minimumDistance
                    || ratio * distance * distance < PilotCanceller.skirt * PilotCanceller.skirt
                {
                    return false
                }
            }
        }
        return true
    }
}
