public import Foundation

/// The address of a caller: a phone number, an email address, or a text that only the app understands.
open class CXHandle: NSObject, NSCopying {
    /// The kinds of handles.
    public enum HandleType: Int, Sendable {
        case generic = 1
        case phoneNumber = 2
        case emailAddress = 3
    }

    /// The kind of the handle.
    public let type: HandleType
    /// The text of the handle.
    public let value: String

    /// A handle of a kind and a text.
    public init(type: HandleType, value: String) {
        self.type = type
        self.value = value
    }

    open func copy(with zone: NSZone? = nil) -> Any { CXHandle(type: type, value: value) }

    /// Whether another handle has the same kind and text.
    open func isEqual(to handle: CXHandle) -> Bool { type == handle.type && value == handle.value }

    open override func isEqual(_ object: Any?) -> Bool { (object as? CXHandle).map { isEqual(to: $0) } ?? false }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(type)
        hasher.combine(value)
        return hasher.finalize()
    }
}
