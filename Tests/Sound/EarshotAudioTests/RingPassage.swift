import EarshotBasics
import EarshotSystem
import Synchronization
import TestSupport

@testable import EarshotAudio

/// Numbers that one thread passes to another through a ring, for some seconds.
final class RingPassage: Sendable {
    struct Account {
        var numberCount = 0
        var noticeCount = 0
        var refusalCount = 0
        var vainCount = 0
        var faults: [String] = []
    }

    /// Every integer below is exact as a Float.
    private static let numberRange = 1 << 24
    private static let channelCount = 2
    private static let maximumFrameCount = 64

    private let seconds: Double
    private let isWritten = Atomic(false)

    init(seconds: Double) {
        self.seconds = seconds
    }

    /// The writer: blocks of random lengths that hold the next numbers, with occasional notices. It offers a rejected
    /// block again.
    func write(put: (CaptureBlock, (UnsafeMutablePointer<Float>) -> Void) -> Bool) -> Account {
        var account = Account()
        var random = SeededGenerator(seed: 41)
        let end = MonotonicTime.nanoseconds + Int64(seconds * 1e9)
        while MonotonicTime.nanoseconds < end {
            var block = CaptureBlock()
            block.frameCount = Int.random(in: 0...Self.maximumFrameCount, using: &random)
            block.droppedFrameCount = account.numberCount
            if block.frameCount == 0 {
                // Its strings are reference-counted, so a race would corrupt them.
                let error = DeviceError(
                    .busy, operation: "record from", device: "a name too long for a small string",
                    detail: "number \(account.numberCount)", advice: "Wait for the one after it")
                block.notice = .interrupted(error)
            }
            let first = account.numberCount
            let count = block.frameCount * Self.channelCount
            let isTaken = put(block) { samples in
                for index in 0..<count { samples[index] = Float((first + index) % Self.numberRange) }
            }
            if isTaken {
                account.numberCount += count
                account.noticeCount += block.notice == nil ? 0 : 1
            } else {
                account.refusalCount += 1
                MonotonicTime.sleep(seconds: 20e-6)
            }
            // Pauses let the reader find an empty ring.
            if Int.random(in: 0..<200, using: &random) == 0 { MonotonicTime.sleep(seconds: 0.001) }
        }
        isWritten.store(true, ordering: .releasing)
        return account
    }

    /// The reader: checks every number.
    func read(wait: () -> Void, take: ((CaptureBlock, Span<Float>) -> Void) -> Bool) -> Account {
        var account = Account()
        var random = SeededGenerator(seed: 42)
        while true {
            let isOver = isWritten.load(ordering: .acquiring)
            let isTaken = take { block, samples in Self.check(block, samples, &account) }
            if !isTaken {
                if isOver { return account }
                account.vainCount += 1
                wait()
            }
            // Pauses let the writer find a full ring.
            if Int.random(in: 0..<200, using: &random) == 0 { MonotonicTime.sleep(seconds: 0.001) }
        }
    }

    private static func check(_ block: CaptureBlock, _ samples: Span<Float>, _ account: inout Account) {
        func expect(_ condition: Bool, _ fault: @autoclosure () -> String) {
            if !condition, account.faults.count < 100 { account.faults.append(fault()) }
        }
        let first = account.numberCount
        expect(block.droppedFrameCount == first, "block \(block.droppedFrameCount) instead of \(first)")
        expect(samples.count == block.frameCount * channelCount, "\(samples.count) samples")
        for index in samples.indices {
            let number = Float((first + index) % numberRange)
            expect(samples[index] == number, "\(samples[index]) instead of \(number)")
        }
        if case .interrupted(let error) = block.notice {
            expect(error.detail == "number \(first)", error.detail)
            account.noticeCount += 1
        }
        expect((block.notice != nil) == (block.frameCount == 0), "a notice at the wrong place")
        account.numberCount += samples.count
    }
}
