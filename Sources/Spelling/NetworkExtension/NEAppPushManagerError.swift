public import Foundation

/// The domain of `NEAppPushManagerError` as an `NSError`.
public let NEAppPushErrorDomain = "NEAppPushErrorDomain"

/// The reason why a configuration was not saved, loaded or removed. `localizedDescription` has the problem and the
/// remedy.
public struct NEAppPushManagerError: Error, CustomNSError, LocalizedError, Hashable, CustomStringConvertible {
    /// The kinds of errors, with the numbers of the original.
    public enum Code: Int, Sendable {
        /// The configuration breaks a limit, or has a value that a property list cannot hold.
        case configurationInvalid = 1
        /// The configuration has not been saved or loaded, or no longer exists.
        case configurationNotLoaded = 2
        /// The folder of the configurations cannot be used.
        case internalError = 3
        /// There is no session. Not used here.
        case inactiveSession = 4
    }

    /// See `Code`.
    public static let configurationInvalid = Code.configurationInvalid
    /// See `Code`.
    public static let configurationNotLoaded = Code.configurationNotLoaded
    /// See `Code`.
    public static let internalError = Code.internalError
    /// See `Code`.
    public static let inactiveSession = Code.inactiveSession

    /// The kind of the error.
    public let code: Code
    /// One or two sentences.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// An error of a kind, without a sentence of its own.
    public init(_ code: Code) {
        self.init(code, "The configuration of local push failed: \(code).")
    }

    /// `NEAppPushErrorDomain`.
    public static var errorDomain: String { NEAppPushErrorDomain }
    /// The number of the kind.
    public var errorCode: Int { code.rawValue }
    /// The sentences.
    public var errorDescription: String? { description }
    /// The sentences.
    public var localizedDescription: String { description }
    /// The sentences, under the key of `localizedDescription`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }

    /// Whether the kinds are the same.
    public static func == (first: Self, second: Self) -> Bool { first.code == second.code }
    /// Hashes the kind.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension NEAppPushManagerError.Code {
    /// Whether an error is of a kind, for `catch NEAppPushManagerError.configurationInvalid`.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? NEAppPushManagerError)?.code == code }
}
