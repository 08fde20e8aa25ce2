import Dispatch
package import EarshotModem
import Synchronization

/// Many trials of a scene at many signal-to-noise ratios, on several threads.
///
/// Trials run in batches. Between batches, the simulation decides whether a point is known well enough, so the result
/// is the same with any number of threads.
package final class Simulation: Sendable {
    /// The scene and the trials.
    package let order: SimulationOrder

    private let prepared: PreparedScene
    private let cancelled = Atomic(false)
    private static let batchCount = 50

    /// Checks that the scene can be sent and received.
    /// - Throws: `ModemError` if it cannot.
    package init(_ order: SimulationOrder) throws(ModemError) {
        prepared = try PreparedScene(order.scene)
        self.order = order
    }

    /// Ends `point` soon, from another thread.
    package func cancel() {
        cancelled.store(true, ordering: .relaxed)
    }

    /// Whether `cancel` was called.
    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Makes trials at one signal-to-noise ratio, until it is known well enough.
    /// - Parameter onProgress: called with the share of the trials that were made, 0 ... 1, from any thread.
    /// - Returns: nil if cancelled.
    package func point(
        snrDecibels: Double, onProgress: @escaping @Sendable (Double) -> Void = { _ in }
    ) -> SimulationPoint? {
        let scene = prepared.at(snrDecibels: snrDecibels)
        var tally = AirTally()
        while tally.trialCount < order.trialCount, !isKnown(tally) {
            let trials = tally.trialCount..<min(tally.trialCount + Self.batchCount, order.trialCount)
            let outcomes = outcomes(of: trials, scene, onProgress)
            guard !isCancelled else { return nil }
            for case let outcome? in outcomes { tally.add(outcome) }
        }
        onProgress(1)
        return SimulationPoint(snrDecibels: snrDecibels, tally: tally)
    }

    private func isKnown(_ tally: AirTally) -> Bool {
        guard tally.trialCount >= order.minimumTrialCount else { return false }
        let interval = BinomialInterval(successCount: tally.decodedCount, trialCount: tally.sentCount)
        return (interval.high - interval.low) / 2 <= order.precision
    }

    /// The outcomes of some trials, in their order.
    private func outcomes(
        of trials: Range<Int>, _ scene: PreparedScene, _ onProgress: @escaping @Sendable (Double) -> Void
    ) -> [AirOutcome?] {
        let outcomes = Mutex([AirOutcome?](repeating: nil, count: trials.count))
        let next = Atomic(trials.lowerBound)
        let work: @Sendable (Int) -> Void = { _ in
            while !self.isCancelled, case let trial = next.wrappingAdd(1, ordering: .relaxed).oldValue,
                trial < trials.upperBound
            {
                // `init` has checked that the scene can be sent.
                let outcome = try? scene.run(seed: AirTally.seed(ofTrial: trial, from: self.order.seed))
                outcomes.withLock { $0[trial - trials.lowerBound] = outcome }
                onProgress(Double(trial + 1) / Double(self.order.trialCount))
            }
        }
        if order.threadCount > 1 {
            DispatchQueue.concurrentPerform(iterations: order.threadCount, execute: work)
        } else {
            work(0)
        }
        return outcomes.withLock { $0 }
    }
}
