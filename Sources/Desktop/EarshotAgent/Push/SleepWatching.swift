/// Reports when the machine goes to sleep and when it wakes. `earshot-agent` implements it with logind.
public protocol SleepWatching: Sendable {
    /// true before the machine sleeps, false after the wake. The stream ends when its reader's task is cancelled. It
    /// may never yield a value.
    func sleeps() -> AsyncStream<Bool>
}
