public import Foundation

/// The superclass of an app's delegate. It has no behaviour here.
@MainActor open class UIResponder: NSObject {
    /// A responder.
    public required override init() {
        super.init()
    }
}
