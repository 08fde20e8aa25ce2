public import Foundation

/// The domain of `CXErrorCodeIncomingCallError`.
public let CXErrorDomainIncomingCall = "com.apple.CallKit.error.incomingcall"
/// The domain of `CXErrorCodeRequestTransactionError`.
public let CXErrorDomainRequestTransaction = "com.apple.CallKit.error.requesttransaction"

/// The reason why an incoming call is not shown.
public struct CXErrorCodeIncomingCallError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
    /// The codes. Only `unknown` and `callUUIDAlreadyExists` occur here.
    public enum Code: Int, Sendable {
        /// There are too many calls at once, or too many in a short time.
        case unknown = 0
        case unentitled = 1
        /// There is a call with this UUID.
        case callUUIDAlreadyExists = 2
        case filteredByDoNotDisturb = 3
        case filteredByBlockList = 4
    }

    /// The code.
    public let code: Code
    private let sentence: String

    init(_ code: Code, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }

    /// The domain of these errors.
    public static var errorDomain: String { CXErrorDomainIncomingCall }
    /// The number of the code.
    public var errorCode: Int { code.rawValue }
    /// The sentence for the user.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: sentence] }
    /// The sentence for the user.
    public var errorDescription: String? { sentence }

    /// `Code.unknown`.
    public static var unknown: Code { .unknown }
    /// `Code.callUUIDAlreadyExists`.
    public static var callUUIDAlreadyExists: Code { .callUUIDAlreadyExists }
}

/// The reason why a transaction is not carried out.
public struct CXErrorCodeRequestTransactionError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
    /// The codes.
    public enum Code: Int, Sendable {
        case unknown = 0
        case unentitled = 1
        /// There is no provider.
        case unknownCallProvider = 2
        /// The transaction has no action.
        case emptyTransaction = 3
        /// There is no call with this UUID.
        case unknownCallUUID = 4
        /// There is a call with this UUID.
        case callUUIDAlreadyExists = 5
        /// The action does not fit the call: the call is answered already, or the action was carried out before.
        case invalidAction = 6
        /// There are too many calls.
        case maximumCallGroupsReached = 7
    }

    /// The code.
    public let code: Code
    private let sentence: String

    init(_ code: Code, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }

    /// The domain of these errors.
    public static var errorDomain: String { CXErrorDomainRequestTransaction }
    /// The number of the code.
    public var errorCode: Int { code.rawValue }
    /// The sentence for the user.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: sentence] }
    /// The sentence for the user.
    public var errorDescription: String? { sentence }
}
