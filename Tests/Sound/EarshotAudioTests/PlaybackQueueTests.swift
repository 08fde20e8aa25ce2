import Synchronization
import TestSupport
import Testing

@testable import EarshotAudio

@Suite struct PlaybackQueueTests {
    private static let playback = Playback(beginNanoseconds: 1, endNanoseconds: 2, underrunCount: 0)

    /// The answers that callers of sounds got, in order.
    private final class Answers: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }

        func completion(_ name: String) -> PlaybackQueue.Completion {
            { result in
                let text =
                    switch result {
                    case .success: "played"
                    case .failure(is CancellationError): "cancelled"
                    case .failure(let error): "\(error)"
                    }
                self.texts.withLock { $0.append("\(name) \(text)") }
            }
        }
    }

    private struct Gone: Error {}

    @Test func soundsComeInTheirOrder() {
        let (queue, answers) = (PlaybackQueue(), Answers())
        for number in 0..<3 {
            queue.append(.init(samples: [Float(number)]), answers.completion("\(number)"))
        }
        while let (sound, completion) = queue.next() {
            #expect(sound.samples == [Float(answers.all.count)])
            completion(.success(Self.playback))
        }
        #expect(answers.all == ["0 played", "1 played", "2 played"])
    }

    @Test func aWaitingSoundCanBeWithdrawnOnce() {
        let (queue, answers) = (PlaybackQueue(), Answers())
        let sounds = (0..<4).map { PlaybackQueue.Sound(samples: [Float($0)]) }
        for (number, sound) in sounds.enumerated() { queue.append(sound, answers.completion("\(number)")) }
        let first = queue.next()
        // The sound has begun.
        queue.withdraw(sounds[0])
        queue.withdraw(sounds[2])
        queue.withdraw(sounds[2])
        #expect(answers.all == ["2 cancelled"])
        first?.completion(.success(Self.playback))
        queue.withdrawAll()
        #expect(answers.all == ["2 cancelled", "0 played", "1 cancelled", "3 cancelled"])
        // The queue still accepts sounds.
        queue.append(sounds[1], answers.completion("again"))
        #expect(queue.next()?.sound === sounds[1])
        #expect(queue.next() == nil)
    }

    @Test func afterTheEndEverySoundGetsTheFirstError() {
        let (queue, answers) = (PlaybackQueue(), Answers())
        queue.append(.init(samples: []), answers.completion("before"))
        queue.end(Gone())
        queue.end(CancellationError())
        queue.append(.init(samples: []), answers.completion("after"))
        #expect(answers.all == ["before Gone()", "after Gone()"])
        #expect(queue.next() == nil)
    }

    /// A queue that several threads use, and the sounds that they may withdraw.
    private final class Crowd: Sendable {
        static let giverCount = 4
        static let soundCount = 2_000
        let queue = PlaybackQueue()
        let answers = Answers()
        private let waiting = Mutex<[PlaybackQueue.Sound]>([])
        private let readyCount = Atomic(0)

        private var isReady: Bool { readyCount.load(ordering: .acquiring) == Self.giverCount }

        func give(_ giver: Int) {
            for number in 0..<Self.soundCount {
                let sound = PlaybackQueue.Sound(samples: [])
                queue.append(sound, answers.completion("\(giver).\(number)"))
                if number % 3 == 0 { waiting.withLock { $0.append(sound) } }
            }
            readyCount.add(1, ordering: .releasing)
        }

        func withdraw() {
            while !isReady {
                if let sound = waiting.withLock({ $0.popLast() }) { queue.withdraw(sound) }
            }
        }

        func play() {
            while true {
                let isLast = isReady
                if let (_, completion) = queue.next() {
                    completion(.success(PlaybackQueueTests.playback))
                } else if isLast {
                    return
                }
            }
        }
    }

    @Test func everySoundGetsOneAnswer() async throws {
        let crowd = Crowd()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for giver in 0..<Crowd.giverCount { group.addTask { try await onThread { crowd.give(giver) } } }
            group.addTask { try await onThread { crowd.withdraw() } }
            group.addTask { try await onThread { crowd.play() } }
            try await group.waitForAll()
        }
        let all = crowd.answers.all
        #expect(all.count == Crowd.giverCount * Crowd.soundCount)
        #expect(Set(all.map { $0.split(separator: " ")[0] }).count == all.count)
    }
}
