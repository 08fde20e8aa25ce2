/// An app that is to be started.
public struct AppLaunch: Sendable, Hashable {
    /// The app's identifier.
    public var app: String
    /// An absolute path and arguments.
    public var command: [String]
    /// Added to the session's environment, each as `NAME=VALUE`.
    public var variables: [String]
    /// Where its output goes; nil for the journal.
    public var logPath: String?
}

/// What became of a launch.
public enum AppLaunchOutcome: Sendable, Hashable {
    /// The app's process; nil if that has ended already.
    case started(process: Int32?)
    /// Nothing here starts apps: the agent does it itself.
    case unavailable
    /// It cannot be started, or it is not known whether it was; a sentence.
    case failed(String)
}

/// Starts apps in the user's session, outside the agent's own environment and limits. `earshot-agent` implements it with the
/// user's systemd.
public protocol AppLaunching: Sendable {
    /// Starts an app, or finds the process of it that an earlier launch has started.
    func launch(_ launch: AppLaunch) async -> AppLaunchOutcome
}
