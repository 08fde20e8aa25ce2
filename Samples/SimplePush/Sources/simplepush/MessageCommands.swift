import ArgumentParser
import Foundation
import Glibc
import SimplePushClient
import SimplePushKit
import Synchronization

struct Contacts: ClientCommand {
    static let configuration = CommandConfiguration(abstract: "List the users of the server.")

    @OptionGroup var output: OutputOptions

    func perform() async throws {
        let settings = try SettingsFile().load()
        let users = try await ControlSession(open: try settings.opener()).directory()
        let console = Console(usesJSON: output.json)
        for user in users where user.id != settings.user {
            console.say(
                Event(event: "user", user: user.id, name: user.name, isHere: user.isHere),
                "\(user.id)  \(user.name)  \(user.isHere ? "here" : "away")")
        }
        if users.count <= 1, !output.json { print("There is no other user yet.") }
    }
}

struct Text: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send a text.",
        discussion: "The server keeps it for a recipient who is away. 'simplepush contacts' lists the users.")

    @Argument(help: "The recipient's user name.") var user: String
    @Argument(help: "The words of the text.") var words: [String]
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !words.joined(separator: " ").isEmpty else { throw ValidationError("The text is empty.") }
    }

    func perform() async throws {
        let settings = try SettingsFile().load()
        let session = ControlSession(open: try settings.opener())
        let text = OutgoingText(
            id: randomIdentifier(characterCount: 26), to: user, text: words.joined(separator: " "))
        let accepted = try await session.send(text)
        let entry = TextHistory.Entry(
            id: text.id, peer: user, peerName: user, text: text.text, sentAt: Date().timeIntervalSince1970,
            isOutgoing: true)
        do {
            try TextHistory(path: SettingsFile.historyPath(settings)).append(entry)
        } catch {
            // The text is being delivered nevertheless.
            FileHandle.standardError.write(Data("simplepush: \(error)\n".utf8))
        }
        Console(usesJSON: output.json).say(
            Event(event: "sent", id: text.id, user: user, isHere: accepted.isHere),
            accepted.isHere ? "Sent." : "The server keeps it: \(user) is away.")
    }
}

struct Texts: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the texts that you and a user have written.",
        discussion: "A tap on the notification of a text shows them too. They are stored only on this machine.")

    @Argument(help: "The other user.") var user: String
    @OptionGroup var output: OutputOptions

    func perform() async throws {
        let settings = try SettingsFile().load()
        Console(usesJSON: output.json).say(
            TextHistory(path: SettingsFile.historyPath(settings)).entries(with: user), with: user)
    }
}

struct Call: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Call a user.", discussion: "It follows the call until its end. Ctrl-C hangs up.")

    @Argument(help: "The user to call.") var user: String
    @OptionGroup var output: OutputOptions

    func perform() async throws {
        let invitation = OutgoingInvitation(id: randomIdentifier(characterCount: 26), to: user)
        try await follow(.invite(invitation), Console(usesJSON: output.json))
    }
}

struct Accept: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer a call.", discussion: "It follows the call until its end. Ctrl-C hangs up.")

    @Argument(help: "The call, if more than one rings.") var call: String?
    @OptionGroup var output: OutputOptions

    func perform() async throws { try await follow(.accept(call), Console(usesJSON: output.json)) }
}

struct Decline: ClientCommand {
    static let configuration = CommandConfiguration(abstract: "Decline a call.")

    @Argument(help: "The call, if more than one rings.") var call: String?
    @OptionGroup var output: OutputOptions

    func perform() async throws {
        let session = ControlSession(open: try SettingsFile().load().opener())
        Console(usesJSON: output.json).say(try await session.end(call, .decline))
    }
}

struct HangUp: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "hangup", abstract: "End a call, or withdraw it.")

    @Argument(help: "The call, if there is more than one.") var call: String?
    @OptionGroup var output: OutputOptions

    func perform() async throws {
        let session = ControlSession(open: try SettingsFile().load().opener())
        Console(usesJSON: output.json).say(try await session.end(call, .hangUp))
    }
}

/// Runs a call until its end. Ctrl-C hangs up, and a second one ends the program.
private func follow(_ beginning: CallSession.Beginning, _ console: Console) async throws {
    let open = try SettingsFile().load().opener()
    let session = CallSession(beginning) { event in
        switch event {
        case .placed(let isHere):
            if !isHere { console.say(Event(event: "placed", isHere: false), "The user is away; the call rings on.") }
        case .state(let state): console.say(state)
        case .reconnecting(let reason): console.say(Event(event: "reconnecting", reason: reason), reason)
        }
    }
    let signals = EndingSignals()
    let hangingUp = Task {
        guard await signals.first() != nil else { return }
        await session.hangUp()
    }
    defer { hangingUp.cancel() }
    let end = try await session.run(open: open)
    // A call that was not answered is not a success.
    if [.declined, .busy, .unanswered, .lost].contains(end.end), end.isOutgoing { throw ExitCode(1) }
}
