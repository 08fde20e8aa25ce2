/// An app to start.
public struct AppLaunch: Sendable, Hashable {
    /// The app's identifier.
    public var app: String
    /// An absolute path and arguments.
    public var command: [String]
    /// Added to the session's environment, each as `NAME=VALUE`.
    public var variables: [String]
    /// The file for its output; nil for the journal.
    public var logPath: String?
}

/// The outcome of a launch.
public enum AppLaunchOutcome: Sendable, Hashable {
    /// The app's process; nil if it has ended already.
    case started(process: Int32?)
    /// The launcher cannot start apps here: the agent does it itself.
    case unavailable
    /// It was not started, or the outcome is unknown; a sentence.
    case failed(String)
}

/// Starts apps in the user's session, outside the agent's own environment and limits. `earshot-agent` implements it with the
/// user's systemd.
public protocol AppLaunching: Sendable {
    /// Starts an app, or finds its process from an earlier launch.
    func launch(_ launch: AppLaunch) async -> AppLaunchOutcome
}
