import Foundation
import TestSupport
import Testing

/// On a machine whose cores never rest. `make test` runs it after the others, which would have to be busy too.
@Suite(
    .disabled(
        if: ProcessInfo.processInfo.environment["EARSHOT_SKIP_SOUND_CARD"] == "1", "EARSHOT_SKIP_SOUND_CARD=1 is set"))
struct BusySoundCardTests {
    @Test(arguments: [("fast", 60), ("standard", 40), ("far", 20)])
    func everyTokenIsHeardOnce(profile: String, count: Int) async throws {
        let session = try await onThread {
            let session = try LiveSession()
            // One for each core from every one of the three that run side by side.
            let others = try session.occupyCores()
            try session.exchange(profile: profile, count: count)
            guard others.allSatisfy(\.isRunning) else {
                throw SoundCard.Trouble(description: "the cores rested. \(others[0].account)")
            }
            return session
        }
        session.expectAllHeardOnce(profile: profile, count: count)
    }
}
