import EarshotCoding

/// A decoding attempt that waits until its frame ends.
struct Attempt {
    /// The index of the profile among the receiver's.
    var profileIndex: Int
    var candidate: Candidate
    /// The layout to decode; nil if the attempt only checks the sync pattern and the length header.
    var layout: FrameLayout?
    /// The baseband index after the last sample that it needs.
    var due: Int
    /// Whether the attempt has waited for the frame that disturbs it.
    var hasWaited = false
    /// Whether a brief attempt failed.
    var wasBrief = false
    /// Whether a token's place is worth a look for a length header along changing offsets: none could be read at its own offset.
    var isUnread = false
    /// Λ, if the first attempt measured it; see `FrameLikelihood`.
    var logRatio: Float = 0

    /// The kinds of attempts, cheapest first.
    enum Look: Comparable {
        /// A sync check.
        case syncCheck
        /// Non-coherent decoding at one instant.
        case first
        /// Decoding with the most promising methods; see `IterativeDecoder.Effort.brief`.
        case brief
        /// Decoding with all methods.
        case second
    }

    /// The cheapest kind of attempt that can still help.
    var look: Look {
        if layout == nil { return .syncCheck }
        return !hasWaited ? .first : !wasBrief ? .brief : .second
    }
}

extension Attempt {
    /// An attempt that waits for the end of the frame, or of its sync pattern and length header, and for the echo after
    /// it.
    init(_ candidate: Candidate, _ format: BasebandFormat, profileIndex: Int, layout: FrameLayout?) {
        let symbolCount = (layout?.toneCount ?? SyncCheck.preambleToneCount) + ToneMetrics.echoSymbolCount
        let length = Double(symbolCount) * format.symbolLength(offsetHertz: candidate.offsetHertz)
        self.init(
            profileIndex: profileIndex, candidate: candidate, layout: layout,
            due: Int((candidate.start + length).rounded(.up)))
    }
}

/// Attempts in the order in which their frames end; for equal ends the better candidate comes first.
///
/// The capacity is fixed: hostile input can fill the queue, not grow it.
struct AttemptQueue {
    static let capacity = 192
    // Sorted so that the next attempt is last.
    private var waiting: [Attempt] = []

    init() {
        waiting.reserveCapacity(AttemptQueue.capacity + 1)
    }

    /// Attempts dropped because the queue was full.
    private(set) var droppedCount = 0

    /// Attempts rejected because the budget did not suffice before their samples left the history.
    private(set) var expiredCount = 0

    /// The history's end index at which the next attempt is due; the maximum if none waits.
    var nextDue: Int { waiting.last?.due ?? .max }

    /// Whether no attempt waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// Whether a frame whose sync pattern was checked and is sure waits for samples from `endIndex` on.
    func holdsSureFrame(endIndex: Int) -> Bool {
        waiting.contains {
            $0.due > endIndex && $0.layout != nil && $0.candidate.dominance >= SyncCheck.sureDominance
        }
    }

    /// Adds an attempt.
    /// - Returns: false if the queue was full and dropped its weakest candidate.
    @discardableResult
    mutating func insert(_ attempt: Attempt) -> Bool {
        var place = waiting.count
        while place > 0 && comesBefore(waiting[place - 1], attempt) {
            place -= 1
        }
        waiting.insert(attempt, at: place)
        guard waiting.count > AttemptQueue.capacity else { return true }
        var weakest = 0
        for index in waiting.indices where waiting[index].candidate.score < waiting[weakest].candidate.score {
            weakest = index
        }
        waiting.remove(at: weakest)
        droppedCount += 1
        return false
    }

    /// Adds an attempt again, to be tried at a later baseband index.
    mutating func insert(_ attempt: Attempt, waitingUntil due: Int) {
        var later = attempt
        later.due = due
        insert(later)
    }

    /// Takes the best attempt that needs no sample from `endIndex` on: cheap ones first, then the likeliest.
    /// - Parameter costliestAttempt: attempts that cost more stay in the queue.
    mutating func next(endIndex: Int, costliestAttempt: Attempt.Look = .second) -> Attempt? {
        var best: Int?
        for index in waiting.indices.reversed() {
            guard waiting[index].due <= endIndex else { break }
            guard waiting[index].look <= costliestAttempt else { continue }
            if best.map({ AttemptQueue.isBetter(waiting[index], waiting[$0]) }) ?? true {
                best = index
            }
        }
        return best.map { waiting.remove(at: $0) }
    }

    /// Removes the due attempts whose frames begin before `index`, the start of the history.
    mutating func removeExpired(before index: Int, endIndex: Int) {
        let count = waiting.count
        waiting.removeAll { $0.due <= endIndex && $0.candidate.start < Double(index) }
        expiredCount += count - waiting.count
    }

    /// Removes the attempts less than half a symbol and about half a tone spacing away from a place.
    mutating func removeAttempts(near place: Candidate, profileIndex: Int, _ format: BasebandFormat) {
        waiting.removeAll { $0.profileIndex == profileIndex && $0.candidate.isNear(place, format) }
    }

    /// Removes only those that drift like the place: drifting ones if it drifts, and otherwise the others. By chance a
    /// steady frame's pattern can seem to drift.
    mutating func removeAttempts(like place: Candidate, profileIndex: Int, _ format: BasebandFormat) {
        waiting.removeAll {
            $0.profileIndex == profileIndex && $0.candidate.isDrifting == place.isDrifting
                && $0.candidate.isNear(place, format)
        }
    }

    /// The end of a token that waits at the place of an attempt for another length; nil if none waits.
    func endOfToken(at attempt: Attempt, _ format: BasebandFormat) -> Int? {
        guard attempt.layout != .token else { return nil }
        return waiting.first {
            $0.layout == .token && $0.profileIndex == attempt.profileIndex
                && $0.candidate.isDrifting == attempt.candidate.isDrifting
                && $0.candidate.isNear(attempt.candidate, format)
        }?.due
    }

    /// Removes the attempts that start in the range, whose best channel heard the frame with these shares, and whose
    /// dominance is below the minimum.
    mutating func removeAttempts(
        startingIn range: Range<Double>, in shares: ChannelShares, lessClearThan minimumDominance: Float
    ) {
        waiting.removeAll {
            $0.layout != nil && range.contains($0.candidate.start) && shares.isClear($0.candidate.shares.best)
                && $0.candidate.dominance < minimumDominance
        }
    }

    /// The end of a frame that should be tried before this attempt: its sync pattern is louder and clear, and the frame
    /// began before this attempt's, or before the end of this attempt's if the pattern is sure. Nil if there is none.
    func end(ofClearerThan attempt: Attempt, clearDominance: Float) -> Int? {
        waiting.first {
            let isSure = $0.candidate.dominance >= SyncCheck.sureDominance
            let latestStart = isSure ? Double(attempt.due) : attempt.candidate.start
            return $0.due > attempt.due && $0.layout != nil && $0.candidate.start < latestStart
                && $0.candidate.dominance >= clearDominance && $0.candidate.score > attempt.candidate.score
        }?.due
    }

    /// The end of the frame for which an attempt should wait, because the attempt may be a chance pattern of that
    /// louder frame's tones. Nil if it need not wait, or cannot wait because the history keeps only `keptCount`
    /// samples.
    func endOfClearerFrame(than attempt: Attempt, keptCount: Int) -> Int? {
        let clearDominance = attempt.hasWaited ? SyncCheck.sureDominance : SyncCheck.clearDominance
        guard attempt.candidate.dominance < clearDominance,
            let end = end(ofClearerThan: attempt, clearDominance: clearDominance),
            Double(end) - attempt.candidate.start <= Double(keptCount)
        else { return nil }
        return end
    }

    private static func isBetter(_ a: Attempt, _ b: Attempt) -> Bool {
        if a.look != b.look { return a.look < b.look }
        return a.logRatio != b.logRatio ? a.logRatio > b.logRatio : a.candidate.score > b.candidate.score
    }

    private func comesBefore(_ a: Attempt, _ b: Attempt) -> Bool {
        a.due != b.due ? a.due < b.due : a.candidate.score > b.candidate.score
    }
}
