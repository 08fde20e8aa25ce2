public import Foundation

/// An app's information about a call.
open class CXCallUpdate: NSObject, NSCopying {
    /// The caller.
    open var remoteHandle: CXHandle?
    /// The caller's name, which is shown in place of the handle.
    open var localizedCallerName: String?
    /// Whether the call has video. The notification shows it.
    open var hasVideo = false
    /// No effect here.
    open var supportsHolding = true
    /// No effect here.
    open var supportsGrouping = true
    /// No effect here.
    open var supportsUngrouping = true
    /// No effect here.
    open var supportsDTMF = true

    /// An empty update.
    public override init() {}

    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CXCallUpdate()
        copy.remoteHandle = remoteHandle
        copy.localizedCallerName = localizedCallerName
        copy.hasVideo = hasVideo
        copy.supportsHolding = supportsHolding
        copy.supportsGrouping = supportsGrouping
        copy.supportsUngrouping = supportsUngrouping
        copy.supportsDTMF = supportsDTMF
        return copy
    }
}

/// The reason why a call ended without the user.
public enum CXCallEndedReason: Int, Sendable {
    case failed = 1
    case remoteEnded = 2
    case unanswered = 3
    case answeredElsewhere = 4
    case declinedElsewhere = 5
}
