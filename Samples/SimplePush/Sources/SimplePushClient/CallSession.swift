import Foundation
public import SimplePushKit

/// One call from its beginning to its end, even if links break.
public actor CallSession {
    /// An event of the call.
    public enum Event: Sendable, Equatable {
        /// The server has the call, and can or cannot reach the callee's provider now.
        case placed(isHere: Bool)
        /// The call's state.
        case state(CallState)
        /// The link broke and is opened again.
        case reconnecting(String)
    }

    /// The beginning of the call.
    public enum Beginning: Sendable {
        /// Call a user.
        case invite(OutgoingInvitation)
        /// Answer a call; nil means the only one that rings.
        case accept(String?)
    }

    private let beginning: Beginning
    private let handle: @Sendable (Event) -> Void
    private var id: String?
    private var link: PushLink?
    private var isHungUp = false
    private var outcome: Result<CallState, any Error>?
    private var latest: CallState?
    private var seen: [CallState] = []

    /// - Parameter handle: receives the events.
    public init(_ beginning: Beginning, handle: @escaping @Sendable (Event) -> Void) {
        self.beginning = beginning
        self.handle = handle
        if case .invite(let invitation) = beginning { id = invitation.id }
    }

    /// Runs the call.
    /// - Returns: its last state.
    /// - Throws: `Refusal`, `CallChoiceError`, or the `LinkFailure` of a first attempt or of one that needs help.
    public func run(open: @escaping @Sendable () async throws -> PushLink) async throws -> CallState {
        let keeping = Task {
            await keepLink(open: open) { event in await self.take(event) }
        }
        defer {
            keeping.cancel()
            link?.close()
        }
        while outcome == nil {
            try? await Task.sleep(for: .milliseconds(20))
            if Task.isCancelled { throw CancellationError() }
        }
        return try outcome!.get()
    }

    /// Ends the call.
    public func hangUp() async {
        isHungUp = true
        guard let id, let link else {
            // Nothing was placed or answered.
            if outcome == nil { outcome = .failure(LinkFailure.closedHere) }
            return
        }
        try? await link.send(.call(CallRequest(id: id, action: .hangUp)))
    }

    private func take(_ event: LinkEvent) async {
        switch event {
        case .open(let link):
            self.link = link
            do {
                try await begin(link)
            } catch {
                // The link tells why it ends.
            }
        case .failed(let failure, _):
            let wasOpen = link != nil
            link = nil
            if failure.needsHelp || (latest == nil && !wasOpen) || isHungUp {
                outcome = outcome ?? .failure(failure)
            } else {
                handle(.reconnecting(failure.description))
            }
        case .frame(let frame, let link): await take(frame, link)
        }
    }

    private func begin(_ link: PushLink) async throws {
        if isHungUp, let id {
            try await link.send(.call(CallRequest(id: id, action: .hangUp)))
        } else if case .invite(let invitation) = beginning, latest?.phase != .accepted {
            // The server knows a repeated call by its identifier.
            try await link.send(.invite(invitation))
        } else {
            seen = []
            // The server's answer comes after the ringing and connected calls.
            try await link.send(.directory(DirectoryRequest()))
        }
    }

    private func take(_ frame: ServerFrame, _ link: PushLink) async {
        switch frame {
        case .call(let state):
            seen.append(state)
            guard state.id == id else { return }
            if state != latest { handle(.state(state)) }
            latest = state
            if state.phase == .ended { outcome = .success(state) }
        case .directory: await choose(link)
        case .accepted(let accepted) where accepted.id == id:
            if latest == nil { handle(.placed(isHere: accepted.isHere)) }
        case .refusal(let refusal) where refusal.id == id:
            if refusal.code == .callOver, let latest {
                outcome = .success(
                    CallState(
                        id: latest.id, peer: latest.peer, peerName: latest.peerName, isOutgoing: latest.isOutgoing,
                        phase: .ended, end: latest.end ?? .hungUp))
            } else {
                outcome = .failure(refusal)
            }
        default: break
        }
    }

    /// Answers the chosen call, or finds out that it ended while the link was broken.
    private func choose(_ link: PushLink) async {
        do {
            if let id, let latest {
                guard seen.contains(where: { $0.id == id }) else {
                    outcome = .success(
                        CallState(
                            id: id, peer: latest.peer, peerName: latest.peerName, isOutgoing: latest.isOutgoing,
                            phase: .ended, end: .lost))
                    return
                }
                return
            }
            guard case .accept(let wanted) = beginning else { return }
            let call = try ControlSession.choose(wanted, seen) { !$0.isOutgoing && $0.phase == .ringing }
            id = call.id
            try await link.send(.call(CallRequest(id: call.id, action: .accept)))
        } catch let error as CallChoiceError {
            outcome = .failure(error)
        } catch {
            // The link tells why it ends.
        }
    }
}
