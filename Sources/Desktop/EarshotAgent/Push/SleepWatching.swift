/// Tells when the machine goes to sleep and when it wakes. `earshot-agent` implements it with logind.
public protocol SleepWatching: Sendable {
    /// true before the machine sleeps, false after it woke. The stream ends when its reader's task is cancelled; one that never
    /// tells anything is fine.
    func sleeps() -> AsyncStream<Bool>
}
