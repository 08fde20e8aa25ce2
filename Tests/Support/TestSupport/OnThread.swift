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
package func onSoundCard<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await onThread {
        soundCardPlaces.wait()
        defer { soundCardPlaces.signal() }
        return try body()
    }
}
