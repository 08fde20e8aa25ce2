import NIOCore
import SimplePushKit

/// A ringing or connected call.
struct CallRecord {
    var stored: StoredCall
    var ringing: Scheduled<Void>?
}

/// Calls: invitations, answers and ends.
extension Hub {
    /// Resumes a call from before the server's restart. It continues to ring, or ends if its apps do not reconnect.
    func resume(_ call: StoredCall) {
        calls[call.id] = CallRecord(stored: call)
        for id in [call.caller, call.callee] {
            users[id]?.calls.insert(call.id)
            if let user = users[id] { considerAbsence(user) }
        }
        if !call.isAccepted { ring(call.id, seconds: call.startedAt + options.limits.ringSeconds - wallSeconds) }
    }

    func invite(_ invitation: OutgoingInvitation, from caller: UserRecord, _ link: ServerLink) {
        if let call = calls[invitation.id] {
            // The caller's app repeats the invitation after the link broke.
            guard call.stored.caller == caller.id, call.stored.callee == invitation.to else {
                return link.send(.refusal(Refusal(.callOver, "This call is another one.", id: invitation.id)))
            }
            link.send(.accepted(Accepted(id: invitation.id, isHere: users[invitation.to]?.isHere == true)))
            return tell(call.stored, to: caller, only: link)
        }
        guard let callee = users[invitation.to] else {
            return link.send(
                .refusal(Refusal(.unknownUser, "There is no user \(invitation.to).", id: invitation.id)))
        }
        guard callee !== caller, caller.calls.isEmpty else {
            return link.send(
                .refusal(
                    Refusal(
                        .inCall, callee === caller ? "You cannot call yourself." : "You are in a call already.",
                        id: invitation.id)))
        }
        let now = wallSeconds
        let message = WaitingMessage(
            recipient: callee.id, sender: caller.id, id: invitation.id, kind: .invitation, text: "", sentAt: now)
        if let refusal = refusal(of: message, for: callee) { return link.send(.refusal(refusal)) }
        let call = StoredCall(
            id: invitation.id, caller: caller.id, callee: callee.id, isAccepted: false, startedAt: now)
        if callee.calls.contains(where: { calls[$0]?.stored.isAccepted == true }) {
            link.send(.accepted(Accepted(id: call.id, isHere: callee.isHere)))
            return tell(call, to: caller, end: .busy)
        }
        calls[call.id] = CallRecord(stored: call)
        caller.calls.insert(call.id)
        callee.calls.insert(call.id)
        ring(call.id, seconds: options.limits.ringSeconds)
        keep(message, .call(call, message), callee) { hub, failure in
            if let failure {
                hub.remove(call)
                return link.send(.refusal(failure))
            }
            link.send(.accepted(Accepted(id: call.id, isHere: callee.isHere)))
            guard let present = hub.calls[call.id]?.stored else { return }
            hub.tell(present, to: caller)
            hub.tell(present, to: callee)
        }
    }

    func act(_ request: CallRequest, by user: UserRecord, _ link: ServerLink) {
        guard let call = calls[request.id]?.stored, call.caller == user.id || call.callee == user.id else {
            return link.send(.refusal(Refusal(.callOver, "The call is over.", id: request.id)))
        }
        let isCallee = call.callee == user.id
        switch request.action {
        case .hangUp: end(call, isCallee && !call.isAccepted ? .declined : .hungUp)
        case .decline where isCallee && !call.isAccepted: end(call, .declined)
        case .busy where isCallee && !call.isAccepted: end(call, .busy)
        case .accept where isCallee && !call.isAccepted: accept(call)
        case .accept, .decline, .busy:
            link.send(
                .refusal(
                    Refusal(
                        .callOver, isCallee ? "The call has been answered already." : "Only the other end can do this.",
                        id: request.id)))
        }
    }

    private func accept(_ call: StoredCall) {
        var accepted = call
        accepted.isAccepted = true
        calls[call.id]?.stored = accepted
        calls[call.id]?.ringing?.cancel()
        change(.accepted(call: call.id)) { hub, _ in
            // The call may have ended meanwhile.
            guard hub.calls[call.id] != nil else { return }
            for id in [call.caller, call.callee] {
                if let user = hub.users[id] { hub.tell(accepted, to: user) }
            }
        }
        for id in [call.caller, call.callee] {
            if let user = users[id] { considerAbsence(user) }
        }
    }

    private func end(_ call: StoredCall, _ reason: CallState.End) {
        guard calls[call.id] != nil else { return }
        remove(call)
        change(.ended(call: call.id)) { hub, _ in
            for id in [call.caller, call.callee] {
                if let user = hub.users[id] { hub.tell(call, to: user, end: reason) }
            }
        }
    }

    private func remove(_ call: StoredCall) {
        calls.removeValue(forKey: call.id)?.ringing?.cancel()
        users[call.caller]?.calls.remove(call.id)
        users[call.callee]?.calls.remove(call.id)
    }

    private func ring(_ id: String, seconds: Double) {
        let time = TimeAmount.nanoseconds(Int64(max(0, seconds) * 1e9))
        calls[id]?.ringing = loop.assumeIsolated().scheduleTask(in: time) {
            guard let call = self.calls[id]?.stored, !call.isAccepted else { return }
            self.end(call, .unanswered)
        }
    }

    /// Ends the calls of a user whose app stays disconnected. An app that reconnects in time finds its call.
    func considerAbsence(_ user: UserRecord) {
        guard !user.calls.isEmpty, user.controls.isEmpty else { return }
        let time = TimeAmount.nanoseconds(Int64(options.limits.absenceSeconds * 1e9))
        loop.assumeIsolated().scheduleTask(in: time) {
            guard user.controls.isEmpty else { return }
            for call in user.calls.compactMap({ self.calls[$0]?.stored })
            where call.isAccepted || call.caller == user.id {
                self.end(call, .lost)
            }
        }
    }

    /// An app that connects receives the ringing and connected calls.
    func tellCalls(to link: ServerLink, of user: UserRecord) {
        for call in user.calls.compactMap({ calls[$0]?.stored }) { tell(call, to: user, only: link) }
    }

    private func tell(_ call: StoredCall, to user: UserRecord, only link: ServerLink? = nil, end: CallState.End? = nil)
    {
        let isOutgoing = call.caller == user.id
        let peer = isOutgoing ? call.callee : call.caller
        let state = CallState(
            id: call.id, peer: peer, peerName: users[peer]?.name ?? peer, isOutgoing: isOutgoing,
            phase: end != nil ? .ended : call.isAccepted ? .accepted : .ringing, end: end)
        if let link { return link.send(.call(state)) }
        user.tellControls(.call(state))
        // The provider rang for this call, so it gets the result.
        if !isOutgoing { user.notification?.send(.call(state)) }
    }
}
