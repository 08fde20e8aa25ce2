import Dispatch
import Foundation

/// Runs what waits for real time on a thread of its own, so that it neither holds up other tests nor waits for them.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// Sound servers at once, each with a program that plays and one that listens. All thirty tests together let a token wait
/// 1.2 s for two cores, and then it is the machine that is tested.
private let soundCardPlaces = DispatchSemaphore(value: 8)

/// The same for what plays and records: waits until there is a place.
package func onSoundCard<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await onThread {
        soundCardPlaces.wait()
        defer { soundCardPlaces.signal() }
        return try body()
    }
}
