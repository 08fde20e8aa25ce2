import Synchronization
import Testing

@testable import EarshotServer

/// The queue of a log.
@Suite(.timeLimit(.minutes(1))) struct TurnQueueTests {
    /// Counts how often a caller has to start writing batches.
    private final class Starts: Sendable {
        private let count = Mutex(0)

        var now: Int { count.withLock { $0 } }
        var run: @Sendable () async -> Void { { self.count.withLock { $0 += 1 } } }

        func reach(_ number: Int) async {
            while now < number { await Task.yield() }
        }
    }

    @Test func gathersBatches() async {
        let (queue, starts) = (TurnQueue<Int>(capacity: 300), Starts())
        for turn in 0..<300 { #expect(queue.add(turn, .change, run: starts.run)) }
        #expect(!queue.add(300, .change, run: starts.run))
        #expect(queue.count == 300)
        let first = queue.nextBatch()
        #expect(first == Array(0..<256) && queue.count == 44)
        // The rest of a batch comes before changes that were added later.
        queue.giveBack((first ?? [])[200...])
        #expect(queue.nextBatch() == Array(200..<300))
        #expect(queue.nextBatch() == nil)
        // No task is writing now, so the next change starts one.
        #expect(queue.add(7, .change, run: starts.run))
        await starts.reach(2)
        #expect(starts.now == 2)
    }

    /// A patient change waits for an urgent one, and shares its batch.
    @Test func anUrgentChangeTakesThePatientAlong() async {
        let (queue, starts) = (TurnQueue<Int>(capacity: 300), Starts())
        #expect(queue.add(1, .patientChange, run: starts.run))
        #expect(queue.nextBatch() == nil)
        #expect(queue.add(2, .change, run: starts.run))
        #expect(queue.nextBatch() == [1, 2])
        // A change that arrives while the batch is written is as patient.
        #expect(queue.add(3, .patientChange, run: starts.run))
        #expect(queue.nextBatch() == nil)
        // The change is due when its patience ends, or that of the first one.
        await starts.reach(2)
        #expect(queue.nextBatch() == [3])
        #expect(queue.nextBatch() == nil && queue.count == 0)
    }

    /// Once there are enough patient changes, they are due immediately.
    @Test func manyPatientChangesAreDue() async {
        let (queue, starts) = (TurnQueue<Int>(capacity: 1_000), Starts())
        for turn in 0..<600 { #expect(queue.add(turn, .patientChange, run: starts.run)) }
        var taken: [Int] = []
        while let batch = queue.nextBatch() {
            #expect(batch.count <= 256)
            taken += batch
        }
        #expect(taken == Array(0..<600))
    }

    /// A read takes no place in the queue and needs no commit: it shares the batch of the changes before it.
    @Test func readsAreMany() async {
        let (queue, starts) = (TurnQueue<Int>(capacity: 1), Starts())
        #expect(queue.add(0, .change, run: starts.run))
        for turn in 1...1_000 { #expect(queue.add(turn, .read, run: starts.run)) }
        #expect(!queue.add(7, .change, run: starts.run))
        #expect(queue.count == 1)
        #expect(queue.nextBatch() == Array(0...1_000))
        #expect(queue.nextBatch() == nil)
    }

    /// In any order of arrival, each change is taken once, in order, and none is left.
    @Test(arguments: 0..<20) func noneStays(step: Int) async {
        let queue = TurnQueue<Int>(capacity: 10_000)
        let taken = Mutex<[Int]>([])
        let run: @Sendable () async -> Void = {
            while let batch = queue.nextBatch() {
                taken.withLock { $0 += batch }
                await Task.yield()
            }
        }
        for turn in 0..<1_000 {
            _ = queue.add(turn, (turn * step).isMultiple(of: 7) ? .change : .patientChange, run: run)
            if turn.isMultiple(of: 37) { await Task.yield() }
        }
        while taken.withLock({ $0.count }) < 1_000 { await Task.yield() }
        #expect(taken.withLock { $0 } == Array(0..<1_000))
    }

    /// The lag is that of the oldest change that is not written, even while its batch is being written.
    @Test func lagIsTheOldest() async throws {
        let (queue, starts) = (TurnQueue<Int>(capacity: 10), Starts())
        #expect(queue.lag == .zero)
        _ = queue.add(1, .change, run: starts.run)
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .milliseconds(20) { await Task.yield() }
        #expect(queue.lag >= .milliseconds(20))
        _ = queue.nextBatch()
        #expect(queue.lag >= .milliseconds(20))
        _ = queue.nextBatch()
        #expect(queue.lag == .zero)
    }
}
