public import Foundation
import Synchronization

/// An action on a call. A provider's delegate carries it out, and then calls `fulfill()` or `fail()`.
open class CXAction: NSObject, @unchecked Sendable {
    private struct State {
        var isComplete = false
        var deadline = Date.distantFuture
        var onEnd: (@Sendable (_ isFulfilled: Bool) -> Void)?
    }

    /// The identifier of the action.
    public let uuid = UUID()
    private let state = Mutex(State())

    /// An action that has not been carried out yet.
    public override init() {}

    /// Whether `fulfill()` or `fail()` was called.
    open var isComplete: Bool { state.withLock { $0.isComplete } }

    /// The time at which the provider gives up the action; in the far future for an action that was not requested.
    open var timeoutDate: Date { state.withLock { $0.deadline } }

    /// Reports that the action is done. Only the first call of `fulfill()` or `fail()` has an effect.
    open func fulfill() { end(isFulfilled: true) }

    /// Reports that the action failed.
    open func fail() { end(isFulfilled: false) }

    /// Begins the action: its end will be reported once.
    /// - Returns: false if it was begun before or is complete.
    func begin(deadline: Date, _ onEnd: @escaping @Sendable (_ isFulfilled: Bool) -> Void) -> Bool {
        state.withLock { state in
            guard !state.isComplete, state.onEnd == nil else { return false }
            state.deadline = deadline
            state.onEnd = onEnd
            return true
        }
    }

    private func end(isFulfilled: Bool) {
        let onEnd = state.withLock { state in
            let onEnd = state.isComplete ? nil : state.onEnd
            state.isComplete = true
            return onEnd
        }
        onEnd?(isFulfilled)
    }
}

/// An action on one call.
open class CXCallAction: CXAction, @unchecked Sendable {
    /// The call.
    public let callUUID: UUID

    /// An action on a call.
    public init(call uuid: UUID) {
        callUUID = uuid
        super.init()
    }
}

/// Answers an incoming call.
open class CXAnswerCallAction: CXCallAction, @unchecked Sendable {
    /// `fulfill()`; the date has no effect here.
    open func fulfill(withDateConnected date: Date) { fulfill() }
}

/// Ends a call: it hangs up, or declines an incoming call.
open class CXEndCallAction: CXCallAction, @unchecked Sendable {
    /// `fulfill()`; the date has no effect here.
    open func fulfill(withDateEnded date: Date) { fulfill() }
}

/// Starts an outgoing call.
open class CXStartCallAction: CXCallAction, @unchecked Sendable {
    /// The handle to call.
    public let handle: CXHandle
    /// Whether the call has video.
    public let isVideo: Bool

    /// Starts a call.
    public init(call uuid: UUID, handle: CXHandle) {
        (self.handle, isVideo) = (handle, false)
        super.init(call: uuid)
    }

    /// Starts a call with video or without.
    public init(call uuid: UUID, handle: CXHandle, isVideo: Bool) {
        (self.handle, self.isVideo) = (handle, isVideo)
        super.init(call: uuid)
    }

    /// `fulfill()`; the date has no effect here.
    open func fulfill(withDateStarted date: Date) { fulfill() }
}
