package import EarshotModem

/// The results of many trials of one scene, counted.
package struct AirTally: Sendable, Equatable {
    /// Trials made.
    package private(set) var trialCount = 0
    /// Frames sent: one a talker and trial.
    package private(set) var sentCount = 0
    /// Frames that were reported.
    package private(set) var decodedCount = 0
    /// Reports of a sent frame after its first.
    package private(set) var duplicateCount = 0
    /// Reports of a frame that was not sent.
    package private(set) var wrongCount = 0

    /// No trials.
    package init() {}

    /// Decoded over sent frames, 0 ... 1.
    package var decodedShare: Double { Double(decodedCount) / Double(max(sentCount, 1)) }

    /// Adds one trial.
    package mutating func add(_ outcome: AirOutcome) {
        trialCount += 1
        sentCount += outcome.payloads.count
        decodedCount += outcome.decodedCount
        duplicateCount += outcome.duplicateCount
        wrongCount += outcome.wrongCount
    }

    /// Adds the trials of another tally.
    package mutating func add(_ other: AirTally) {
        trialCount += other.trialCount
        sentCount += other.sentCount
        decodedCount += other.decodedCount
        duplicateCount += other.duplicateCount
        wrongCount += other.wrongCount
    }

    /// Runs `trialCount` trials of a scene one after the other, with seeds from `seed` on; see `Simulation` for all cores.
    /// - Throws: `ModemError` if the profile does not fit into a sample rate.
    package static func of(_ scene: AirScene, trialCount: Int, seed: UInt64) throws(ModemError) -> AirTally {
        let prepared = try PreparedScene(scene)
        var tally = AirTally()
        for trial in 0..<trialCount {
            tally.add(try prepared.run(seed: Self.seed(ofTrial: trial, from: seed)))
        }
        return tally
    }

    /// The seed of a trial, if the first trial has the seed `first`.
    static func seed(ofTrial trial: Int, from first: UInt64) -> UInt64 {
        first &+ UInt64(trial) &* 0x1_0001
    }
}
