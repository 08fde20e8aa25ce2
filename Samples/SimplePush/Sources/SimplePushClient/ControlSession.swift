import Foundation
public import SimplePushKit

/// The app's commands on the control channel.
public struct ControlSession: Sendable {
    private let openLink: @Sendable () async throws -> PushLink
    /// The time for which a command tries to reach the server, in seconds.
    private let patienceSeconds: Double

    /// - Parameter open: opens a control link; it throws `LinkFailure`.
    public init(patienceSeconds: Double = 10, open: @escaping @Sendable () async throws -> PushLink) {
        self.patienceSeconds = patienceSeconds
        openLink = open
    }

    /// All users, in the order of their identifiers.
    public func directory() async throws -> [DirectoryPage.User] {
        let link = try await openLink()
        defer { link.close() }
        var users: [DirectoryPage.User] = []
        try await link.send(.directory(DirectoryRequest()))
        for try await frame in link.frames {
            guard case .directory(let page) = frame else { continue }
            users += page.users
            guard page.hasMore, let last = page.users.last else { break }
            try await link.send(.directory(DirectoryRequest(after: last.id)))
        }
        return users
    }

    /// Sends a text, again if the link breaks: the server knows it by its identifier.
    /// - Returns: whether the recipient is online.
    /// - Throws: `Refusal`, or `LinkFailure` if the server could not be reached.
    public func send(_ text: OutgoingText) async throws -> Accepted {
        let end = ContinuousClock.now + .seconds(patienceSeconds)
        var pauses = ReconnectPauses()
        while true {
            do {
                let link = try await openLink()
                defer { link.close() }
                try await link.send(.text(text))
                for try await frame in link.frames {
                    switch frame {
                    case .accepted(let accepted) where accepted.id == text.id: return accepted
                    case .refusal(let refusal) where refusal.id == text.id: throw refusal
                    default: break
                    }
                }
                throw LinkFailure.closed
            } catch let failure as LinkFailure {
                let pause = pauses.pause(after: failure)
                guard !failure.needsHelp, ContinuousClock.now + .seconds(pause) < end else { throw failure }
                try await Task.sleep(for: .seconds(pause))
            }
        }
    }

    /// The user's ringing and connected calls.
    public func calls() async throws -> [CallState] {
        let link = try await openLink()
        defer { link.close() }
        return try await Self.calls(link)
    }

    /// The server sends the calls first, so they have arrived when it answers another request.
    private static func calls(_ link: PushLink) async throws -> [CallState] {
        try await link.send(.directory(DirectoryRequest()))
        var calls: [CallState] = []
        for try await frame in link.frames {
            if case .call(let call) = frame { calls.append(call) }
            if case .directory = frame { break }
        }
        return calls
    }

    /// Declines or ends a call.
    /// - Parameter id: the call; nil for the only one.
    /// - Throws: `CallChoiceError`, `Refusal`, `LinkFailure`
    public func end(_ id: String?, _ action: CallAction) async throws -> CallState {
        let link = try await openLink()
        defer { link.close() }
        let call = try Self.choose(id, try await Self.calls(link)) {
            action == .hangUp || !$0.isOutgoing && $0.phase == .ringing
        }
        try await link.send(.call(CallRequest(id: call.id, action: action)))
        for try await frame in link.frames {
            switch frame {
            case .call(let state) where state.id == call.id && state.phase == .ended: return state
            case .refusal(let refusal) where refusal.id == call.id: throw refusal
            default: break
            }
        }
        throw LinkFailure.closed
    }

    /// - Parameter id: the call; nil for the only one.
    /// - Throws: `CallChoiceError`
    public static func choose(
        _ id: String?, _ calls: [CallState], where isMeant: (CallState) -> Bool
    ) throws(CallChoiceError) -> CallState {
        if let id {
            guard let call = calls.first(where: { $0.id == id }) else { throw .unknown(id) }
            return call
        }
        let meant = calls.filter(isMeant)
        guard let call = meant.first else { throw .none }
        guard meant.count == 1 else { throw .several(meant.map { "\($0.id) (\($0.peerName))" }) }
        return call
    }
}

/// There is no call to act on.
public enum CallChoiceError: Error, Equatable, CustomStringConvertible {
    /// No call has this identifier.
    case unknown(String)
    /// There is no ringing or connected call.
    case none
    /// There are these calls.
    case several([String])

    /// A sentence.
    public var description: String {
        switch self {
        case .unknown(let id): "There is no call \(id)."
        case .none: "There is no such call."
        case .several(let calls): "There is more than one call. Name one of them: \(calls.joined(separator: ", "))."
        }
    }
}
