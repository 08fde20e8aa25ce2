import EarshotNotifications
public import Foundation

/// How a provider shows its calls.
open class CXProviderConfiguration: NSObject, NSCopying {
    /// The app's name; nil for the app's identifier.
    public let localizedName: String?
    /// The ring tone: a sound of the desktop's theme, or the absolute path of a file; nil for `phone-incoming-call`.
    open var ringtoneSound: String?
    /// No effect here.
    open var iconTemplateImageData: Data?
    /// The maximum number of groups of calls; at least 1.
    open var maximumCallGroups = 2
    /// The maximum number of calls in a group; at least 1. A provider has at most this many calls in each of its groups.
    open var maximumCallsPerCallGroup = 5
    /// No effect here: there is no list of recent calls.
    open var includesCallsInRecents = true
    /// Whether the app has calls with video.
    open var supportsVideo = false
    /// The kinds of handles that the app understands.
    open var supportedHandleTypes: Set<CXHandle.HandleType> = []

    /// A configuration under the app's identifier.
    public override init() { localizedName = nil }

    /// A configuration under a name.
    public init(localizedName: String) { self.localizedName = localizedName }

    private init(name: String?) { localizedName = name }

    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CXProviderConfiguration(name: localizedName)
        copy.ringtoneSound = ringtoneSound
        copy.iconTemplateImageData = iconTemplateImageData
        copy.maximumCallGroups = maximumCallGroups
        copy.maximumCallsPerCallGroup = maximumCallsPerCallGroup
        copy.includesCallsInRecents = includesCallsInRecents
        copy.supportsVideo = supportsVideo
        copy.supportedHandleTypes = supportedHandleTypes
        return copy
    }

    /// The maximum number of calls at once.
    var maximumCallCount: Int {
        let (count, isTooMany) = max(1, maximumCallGroups).multipliedReportingOverflow(
            by: max(1, maximumCallsPerCallGroup))
        return isTooMany ? .max : count
    }

    var sound: NotificationSound { .named(ringtoneSound ?? "phone-incoming-call") }
}
