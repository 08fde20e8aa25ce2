import Foundation
import NIOPosix
import SimplePushClient
import SimplePushKit

/// One line of output.
struct Event: Encodable, Sendable {
    var event: String
    var id: String?
    var user: String?
    var name: String?
    var isHere: Bool?
    var phase: String?
    var end: String?
    var isOutgoing: Bool?
    var reason: String?
    var text: String?
    var sentAt: Double?
}

/// Prints lines for people or for programs.
struct Console: Sendable {
    let usesJSON: Bool

    /// Prints the event as JSON, or the sentence.
    func say(_ event: Event, _ sentence: String) {
        var line = sentence
        if usesJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            line = (try? encoder.encode(event)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        } else {
            // Another user's name must not control the terminal.
            line = String(
                String.UnicodeScalarView(line.unicodeScalars.filter { $0.properties.generalCategory != .control }))
        }
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    func say(_ call: CallState) {
        say(
            Event(
                event: "call", id: call.id, user: call.peer, name: call.peerName, phase: call.phase.rawValue,
                end: call.end?.rawValue, isOutgoing: call.isOutgoing), Self.sentence(call))
    }

    /// The texts between the user and another one.
    func say(_ entries: [TextHistory.Entry], with user: String) {
        for entry in entries {
            say(
                Event(
                    event: "text", id: entry.id, user: entry.peer, name: entry.peerName, isOutgoing: entry.isOutgoing,
                    text: entry.text, sentAt: entry.sentAt),
                "\(entry.isOutgoing ? "You" : entry.peerName): \(entry.text)")
        }
        if entries.isEmpty, !usesJSON { say(Event(event: "none"), "There is no text yet.") }
    }

    static func sentence(_ call: CallState) -> String {
        let name = call.peerName
        switch (call.phase, call.end) {
        case (.ringing, _): return call.isOutgoing ? "Ringing at \(name)." : "\(name) calls."
        case (.accepted, _): return "In a call with \(name)."
        case (.ended, .declined): return call.isOutgoing ? "\(name) declined." : "You declined \(name)'s call."
        case (.ended, .busy): return call.isOutgoing ? "\(name) is in another call." : "You are in another call."
        case (.ended, .unanswered): return call.isOutgoing ? "\(name) did not answer." : "You missed a call of \(name)."
        case (.ended, .lost): return "The call with \(name) broke off."
        case (.ended, _): return "The call with \(name) is over."
        }
    }
}

extension ClientSettings {
    /// Opens control links of these settings.
    func opener(_ channel: PushChannel = .control) throws -> @Sendable () async throws -> PushLink {
        let security = try security()
        let registration = try registration(channel)
        let address = address
        return {
            try await PushLink.open(
                to: address, as: registration, security: security, on: MultiThreadedEventLoopGroup.singleton)
        }
    }
}
