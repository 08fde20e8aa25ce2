public import Foundation
import Synchronization

/// Actions that are requested together.
open class CXTransaction: NSObject, @unchecked Sendable {
    /// The identifier of the transaction.
    public let uuid = UUID()
    private let list: Mutex<[CXAction]>

    /// A transaction of actions.
    public init(actions: [CXAction]) { list = Mutex(actions) }

    /// A transaction of one action.
    public convenience init(action: CXAction) { self.init(actions: [action]) }

    /// A transaction without an action.
    public override convenience init() { self.init(actions: []) }

    /// The actions, in their order.
    open var actions: [CXAction] { list.withLock { $0 } }

    /// Whether all actions are complete.
    open var isComplete: Bool { actions.allSatisfy(\.isComplete) }

    /// Adds an action at the end.
    open func addAction(_ action: CXAction) { list.withLock { $0.append(action) } }
}
