import Foundation
import SimplePushClient
import SimplePushKit

/// Follows the user's calls on the control channel, and rings for incoming ones.
actor CallWatch {
    private let console: Console
    private let ringer: Ringer
    private let open: @Sendable () async throws -> PushLink
    private var link: PushLink?
    private var calls: [String: CallState] = [:]
    /// The calls that have rung here and have not ended.
    private var rung: Set<String> = []
    private var latestFailure = ""

    init(console: Console, ringer: Ringer, open: @escaping @Sendable () async throws -> PushLink) {
        self.console = console
        self.ringer = ringer
        self.open = open
    }

    /// Keeps the link until the program ends.
    func run() async {
        await keepLink(open: open) { event in await self.take(event) }
    }

    private func take(_ event: LinkEvent) async {
        switch event {
        case .open(let link):
            self.link = link
            latestFailure = ""
            // The server sends all existing calls. Calls that it does not send ended while the link was broken.
            calls = [:]
            try? await link.send(.directory(DirectoryRequest()))
        case .failed(let failure, _):
            link = nil
            if failure.needsHelp { Program.end(failure) }
            if failure.description != latestFailure {
                console.say(Event(event: "problem", reason: failure.description), failure.description)
            }
            latestFailure = failure.description
        case .frame(.call(let call), _): await take(call)
        case .frame(.refusal(let refusal), _):
            console.say(Event(event: "problem", id: refusal.id, reason: refusal.sentence), refusal.sentence)
            if refusal.code == .callOver, let id = refusal.id { end(id) }
        case .frame(.directory, _):
            for id in rung where calls[id] == nil { end(id) }
        case .frame: break
        }
    }

    private func take(_ call: CallState) async {
        if calls[call.id] != call { console.say(call) }
        calls[call.id] = call.phase == .ended ? nil : call
        switch call.phase {
        case .ringing where !call.isOutgoing: await ring(id: call.id, user: call.peer, name: call.peerName)
        case .ringing: break
        case .accepted: ringer.accepted(id: call.id)
        case .ended: end(call.id)
        }
    }

    /// Shows a call once, whether the provider or the server reported it first.
    func ring(id: String, user: String, name: String) async {
        guard rung.insert(id).inserted else { return }
        console.say(
            Event(event: "incoming", id: id, user: user, name: name),
            "\(name) calls. Type 'accept' or 'decline'.")
        await ringer.ring(id: id, user: user, name: name) { action in
            Task { await self.tell(action, id) }
        }
        // The provider may have reported a call that has ended since. The server's next answer shows that.
        if calls[id] == nil { try? await link?.send(.directory(DirectoryRequest())) }
    }

    private func end(_ id: String) {
        if rung.remove(id) != nil { ringer.ended(id: id) }
    }

    /// Acts on the ringing or connected call.
    func act(_ action: CallAction) async {
        let meant =
            calls.values.first { action == .hangUp || !$0.isOutgoing && $0.phase == .ringing }?.id
            ?? (action == .hangUp ? nil : rung.first { calls[$0] == nil })
        guard let meant else {
            return console.say(Event(event: "problem", reason: "There is no such call."), "There is no such call.")
        }
        if await !ringer.request(action, id: meant) { await tell(action, meant) }
    }

    /// Sends the user's action on a call to the server.
    private func tell(_ action: CallAction, _ meant: String) async {
        guard let link else {
            return console.say(
                Event(event: "problem", id: meant, reason: "There is no link to the server."),
                "There is no link to the server.")
        }
        try? await link.send(.call(CallRequest(id: meant, action: action)))
    }

    func explain() {
        console.say(
            Event(event: "problem", reason: "unknown word"), "Type 'accept', 'decline' or 'hangup'; Ctrl-C ends.")
    }

    /// Removes the shown call.
    func leave() {
        for id in rung { end(id) }
        link?.close()
    }
}
