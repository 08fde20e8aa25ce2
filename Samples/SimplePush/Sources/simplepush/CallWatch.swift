import Foundation
import SimplePushClient
import SimplePushKit

/// Follows the user's calls on the control channel, and rings for those that come in.
actor CallWatch {
    private let console: Console
    private let ringer: Ringer
    private let open: @Sendable () async throws -> PushLink
    private var link: PushLink?
    private var calls: [String: CallState] = [:]
    /// The calls that have rung here and are not over.
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
            // The server tells the calls that still are. Others ended while the link was broken.
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

    /// Shows a call once, whether the provider or the server told of it first.
    func ring(id: String, user: String, name: String) async {
        guard rung.insert(id).inserted else { return }
        console.say(
            Event(event: "incoming", id: id, user: user, name: name),
            "\(name) calls. Type 'accept' or 'decline'.")
        await ringer.ring(id: id, user: user, name: name) { action in
            Task { await self.tell(action, id) }
        }
        // The provider may have told of a call that is over by now. The server's next answer says so.
        if calls[id] == nil { try? await link?.send(.directory(DirectoryRequest())) }
    }

    private func end(_ id: String) {
        if rung.remove(id) != nil { ringer.ended(id: id) }
    }

    /// Acts on the call that rings or goes on.
    func act(_ action: CallAction) async {
        let meant =
            calls.values.first { action == .hangUp || !$0.isOutgoing && $0.phase == .ringing }?.id
            ?? (action == .hangUp ? nil : rung.first { calls[$0] == nil })
        guard let meant else {
            return console.say(Event(event: "problem", reason: "There is no such call."), "There is no such call.")
        }
        if await !ringer.request(action, id: meant) { await tell(action, meant) }
    }

    /// Tells the server what the user wants of a call.
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

    /// Removes what is shown.
    func leave() {
        for id in rung { end(id) }
        link?.close()
    }
}
