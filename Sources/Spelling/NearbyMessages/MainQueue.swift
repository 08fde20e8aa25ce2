import Dispatch

/// Runs a closure on the main queue and waits for it, so that the caller does not run ahead of the main queue.
func onMainQueue(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.main.async {
            body()
            continuation.resume()
        }
    }
}
