import Foundation

/// Saves the changes of `UserDefaults.standard`: once a second, and when the program exits.
///
/// The phone's system saved them automatically, and apps rely on that. Foundation on Linux saves only in
/// `synchronize()`, and does not report changes. Without a change the call costs less than a microsecond.
package enum SettingsSaver {
    /// Begins to save; further calls have no effect.
    package static func start() { _ = saving }

    private static let saving: Task<Void, Never> = {
        atexit { UserDefaults.standard.synchronize() }
        return Task.detached(priority: .utility) {
            while (try? await Task.sleep(for: .seconds(1), tolerance: .milliseconds(500))) != nil {
                UserDefaults.standard.synchronize()
            }
        }
    }()
}
