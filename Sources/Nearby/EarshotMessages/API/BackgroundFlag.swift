import Foundation

/// A setting that outlives the program: whether it continues in the background.
///
/// A program may end at any time. It stores the user's choice in this flag, and resumes at its next launch:
///
///     BackgroundFlag("background").isOn = true                                       // when the user says so
///     subscription = BackgroundFlag("background").restore { subscribe() }            // at each launch
///
/// The flag is the value of its key in `UserDefaults`, so it works together with programs that read and write the key
/// there. It is saved before the setter returns; `UserDefaults` alone saves only on `synchronize`.
public struct BackgroundFlag: Sendable, Hashable {
    /// The key in the settings.
    public let key: String
    /// The settings: nil for those of this program, `UserDefaults.standard`.
    public let suiteName: String?

    /// The flag of a key. A flag that was never set is off.
    public init(_ key: String, suiteName: String? = nil) {
        self.key = key
        self.suiteName = suiteName
    }

    /// Whether the program continues in the background.
    public var isOn: Bool {
        get { settings.bool(forKey: key) }
        nonmutating set {
            let settings = settings
            settings.set(newValue, forKey: key)
            settings.synchronize()
        }
    }

    /// Starts the operation again if the flag is on.
    /// - Returns: the operation, which the caller must keep; nil if the flag is off.
    public func restore<Operation>(_ begin: () throws -> Operation?) rethrows -> Operation? {
        isOn ? try begin() : nil
    }

    private var settings: UserDefaults {
        suiteName.flatMap { UserDefaults(suiteName: $0) } ?? .standard
    }
}
