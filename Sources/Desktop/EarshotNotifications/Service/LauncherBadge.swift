import EarshotDBus

/// The number on the application's icon in the desktop's launcher: a broadcast that launchers of Unity, KDE Plasma, Dash to Dock
/// and others understand.
///
/// Source: Unity's LauncherAPI, com.canonical.Unity.LauncherEntry.
struct LauncherBadge: Sendable {
    /// Launchers that show badges own this name.
    static let launcherName = "com.canonical.Unity"
    static let interface = "com.canonical.Unity.LauncherEntry"
    /// Any object of the sender; a constant one, because one program has one icon.
    static let path = "/com/canonical/unity/launcherentry/1"

    /// The arguments of `Update`.
    /// - Parameter count: 0 or less hides the badge.
    static func arguments(application: String, count: Int) -> [DBusValue] {
        [
            .string("application://\(application).desktop"),
            .properties(["count": .int64(Int64(max(0, count))), "count-visible": .boolean(count > 0)]),
        ]
    }
}
