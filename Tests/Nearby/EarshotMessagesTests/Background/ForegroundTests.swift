import EarshotMessages
import MessagesTestSupport
import Synchronization
import TestSupport
import Testing

@Suite(.apart) struct ForegroundTests {
    @Test func followsTheTerminalUntilTheAppSaysOtherwise() async {
        let ownsTerminal = Flag()
        let foreground = Foreground(interval: .milliseconds(5)) { ownsTerminal.isRaised }
        let seen = Collected(foreground.changes)
        #expect(await eventually { seen.all == [false] })
        ownsTerminal.raise()
        #expect(await eventually { seen.all == [false, true] })
        foreground.set(false)
        #expect(await eventually { seen.all == [false, true, false] })
        #expect(!foreground.isActive)
        foreground.set(nil)
        #expect(await eventually { seen.all == [false, true, false, true] })
        seen.stop()
    }

    @Test func looksAtTheTerminalOnlyWhileRead() async {
        let counting = Counting()
        let foreground = Foreground(interval: .milliseconds(5)) {
            counting.looks.withLock { $0 += 1 }
            return false
        }
        let seen = Collected(foreground.changes)
        #expect(await eventually { counting.looks.withLock { $0 } > 3 })
        seen.stop()
        #expect(await eventually { seen.isOver })
        await aWhile()
        let before = counting.looks.withLock { $0 }
        await aWhile()
        #expect(counting.looks.withLock { $0 } == before)
    }

    private final class Counting: Sendable {
        let looks = Mutex(0)
    }
}
