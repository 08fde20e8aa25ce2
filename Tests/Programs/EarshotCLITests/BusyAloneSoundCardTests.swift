import Foundation
import TestSupport
import Testing

/// Sending and listening on a machine with every core busy. `make test` runs it after the other tests, because they
/// would have to share the busy cores.
@Suite(
    .apart,
    .disabled(
        if: ProcessInfo.processInfo.environment["EARSHOT_SKIP_SOUND_CARD"] == "1", "EARSHOT_SKIP_SOUND_CARD=1 is set"))
struct BusyAloneSoundCardTests {
    @Test func everyTokenIsHeardOnce() async throws {
        let idler = try LiveSession()
        let others = try idler.occupyCores()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (profile, short, long) in [("fast", 20, 100), ("standard", 12, 60), ("far", 6, 30)] {
                let count = TestLength.count(short, long: long)
                group.addTask {
                    let session = try await onThread {
                        let session = try LiveSession()
                        try session.exchange(profile: profile, count: count)
                        return session
                    }
                    // Buffers compensate for busy cores, but not for a machine that stands still. Half a second of
                    // standstill costs two tokens, which are a third of a short run, and 7 % of a long one.
                    session.expectAllHeardOnce(
                        profile: profile, count: count, excusedShare: TestLength.isLong ? 0.07 : 0.33)
                }
            }
            try await group.waitForAll()
        }
        #expect(others.allSatisfy { $0.isRunning }, "a busy process ended")
    }
}
