/// Waits until a condition holds, for at most 30 s: the machine may be busy.
package func poll(_ condition: () async -> Bool) async -> Bool {
    for _ in 0..<600 {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(50))
    }
    return false
}
