import Dispatch

/// Runs something on the main queue, and waits for it: who makes more than the main queue takes is slowed down.
func onMainQueue(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.main.async {
            body()
            continuation.resume()
        }
    }
}
