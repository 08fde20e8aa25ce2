import Dispatch
import Foundation

/// Runs work that waits for real time on a thread of its own, so that it neither delays other tests nor waits for them.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// The maximum number of sound servers at once, each with a program that plays and one that listens. With all thirty
/// tests at once a token waits 1.2 s for two cores, and then the tests measure the machine.
private let soundCardPlaces = DispatchSemaphore(value: 8)

/// The same for work that plays and records: waits for a free place first.
///
/// Runs the body again, twice at most, if sound was lost during it, whatever came of it: such a run proves nothing. Sound is lost
/// if the machine stops for `longestPauseSeconds`, if a program of a card reports it, or if the body throws `SoundCard.Loss`.
/// - Parameter causesLoss: whether the body itself stops a program or a server: then what the programs report is its result.
package func onSoundCard<Value: Sendable>(
    causesLoss: Bool = false, _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await onThread {
        soundCardPlaces.wait()
        defer { soundCardPlaces.signal() }
        for _ in 0..<2 {
            let watch = PauseWatch()
            let result = Result { try body() }
            let pauseSeconds = watch.end()
            var hasLoss = SoundCard.takeMadeByThisThread().contains(where: \.reportsLoss) && !causesLoss
            if case .failure(let error) = result, error is SoundCard.Loss { hasLoss = true }
            if pauseSeconds < longestPauseSeconds, !hasLoss { return try result.get() }
            print("sound was lost (reported: \(hasLoss); longest pause of the machine: \(pauseSeconds) s): once more")
        }
        defer { _ = SoundCard.takeMadeByThisThread() }
        return try body()
    }
}

/// Half of what the programs' device buffers hold, 0.5 s: a pause finds them half full at worst.
private let longestPauseSeconds = 0.25
