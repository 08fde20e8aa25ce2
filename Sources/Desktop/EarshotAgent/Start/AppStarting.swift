/// How apps are started, for messages and for calls alike.
struct AppStarting: Sendable {
    let starter: AppStarter
    let presence: AppPresence
    let policy: StartPolicy
    /// When the agent began, in seconds of its monotonic clock.
    let began: Double

    init(_ options: AgentOptions, logFolder: String) {
        starter = AppStarter(logFolder: logFolder, launcher: options.launcher)
        presence = AppPresence()
        policy = StartPolicy(intervalSeconds: options.startIntervalSeconds)
        began = options.internals.clock.monotonicSeconds()
    }
}
