import EarshotAudio
import EarshotBasics
import EarshotConsole
import EarshotDiscovery
import EarshotMessages
import EarshotSystem
import Foundation
import Synchronization

/// Prints the output of `publish` and `subscribe`: messages on standard output; statuses and problems on standard
/// error, or, with JSON, on standard output too.
final class MessageOutput: Sendable {
    /// The number of characters of a message that the text output shows.
    private static let shownCount = 200

    private struct State {
        var foundCount = 0
        var wasActive = false
        var hasBegun = false
    }

    private let isJSON: Bool
    private let isQuiet: Bool
    /// The address of the service, for its problems.
    private let serviceAddress: String
    private let begin = MonotonicTime.nanoseconds
    private let state = Mutex(State())

    init(isJSON: Bool, isQuiet: Bool, serviceAddress: String) {
        self.isJSON = isJSON
        self.isQuiet = isQuiet
        self.serviceAddress = serviceAddress
    }

    /// The number of messages found so far.
    var foundCount: Int { state.withLock { $0.foundCount } }
    /// Whether the operation was active at any time.
    var wasActive: Bool { state.withLock { $0.wasActive } }
    private var seconds: Double { Double(MonotonicTime.nanoseconds - begin) / 1e9 }

    func take(_ event: MessageEvent) {
        switch event {
        case .found(let received):
            state.withLock { $0.foundCount += 1 }
            print("found", received)
        case .lost(let received): print("lost", received)
        }
    }

    func take(_ status: OperationStatus) {
        let isNews = state.withLock { state in
            state.wasActive = state.wasActive || status == .active
            state.hasBegun = state.hasBegun || status != .inactive
            return state.hasBegun
        }
        // Every operation begins inactive.
        guard isNews else { return }
        guard isJSON else { return note("\(status)") }
        var line = JSONLine()
        line.add("event", "status")
        line.add("status", "\(status)")
        line.add("at_s", seconds, decimals: 3)
        StandardStream.output.print(line.text)
    }

    func take(_ problem: ManagerProblem) {
        let event = problem.isSolved ? "solved" : "problem"
        guard isJSON else {
            // A microphone and a loudspeaker may have the same details, and details do not name the service's address.
            let parts =
                problem.kind.isOfService
                ? [serviceAddress, problem.detail.isEmpty ? problem.kind.text : problem.detail]
                : [problem.kind.text] + (problem.detail.isEmpty ? [] : [problem.detail])
            StandardStream.error.print("\(event): \(parts.joined(separator: ": ").escapedForTerminal)")
            return
        }
        var line = JSONLine()
        line.add("event", event)
        line.add("problem", problem.kind.text)
        if problem.kind.isOfService { line.add("service", serviceAddress) }
        if !problem.detail.isEmpty { line.add("detail", problem.detail) }
        line.add("at_s", seconds, decimals: 3)
        StandardStream.output.print(line.text)
    }

    /// Prints a line for the user.
    func note(_ text: String) {
        if !isQuiet { StandardStream.error.print(text.escapedForTerminal) }
    }

    func conclude(_ what: String) { note("\(what) \(DecimalText.text(seconds, decimals: 1)) s") }

    private func print(_ event: String, _ received: ReceivedMessage) {
        let message = received.message
        let text = String(data: message.content, encoding: .utf8)
        guard isJSON else {
            let padded = event + String(repeating: " ", count: max(0, 6 - event.count))
            var parts = [ClockText.text(seconds: seconds), padded]
            if let text {
                let shown = text.count > Self.shownCount ? "\(text.prefix(Self.shownCount))…" : text
                parts.append("\"\(shown.escapedForTerminal)\"")
            } else {
                parts.append("\(message.content.count) bytes")
            }
            if !message.type.isEmpty { parts.append("type \(message.type.escapedForTerminal)") }
            if !message.namespace.isEmpty { parts.append("namespace \(message.namespace.escapedForTerminal)") }
            if !received.isAuthenticated { parts.append("not authenticated") }
            StandardStream.output.print(parts.joined(separator: "  "))
            return
        }
        var line = JSONLine()
        line.add("event", event)
        if let text {
            line.add("text", text)
        } else {
            line.add("base64", message.content.base64EncodedString())
        }
        line.add("bytes", message.content.count)
        line.add("type", message.type)
        line.add("namespace", message.namespace)
        line.add("authenticated", received.isAuthenticated)
        line.add("id", received.id)
        line.add("at_s", seconds, decimals: 3)
        line.add("time", ClockText.utc(nanosecondsAgo: 0))
        StandardStream.output.print(line.text)
    }
}

extension ManagerProblem.Kind {
    /// Whether the service has the problem, not a medium of this machine.
    fileprivate var isOfService: Bool {
        switch self {
        case .serviceUnreachable, .serviceRefusing, .serviceInvalid: true
        case .medium, .unsupportedMedium, .noBackground: false
        }
    }

    /// The problem in words, for text and JSON.
    fileprivate var text: String {
        switch self {
        case .medium(let problem, let medium): "\(problem.name) (\(medium.name))"
        case .unsupportedMedium(let medium): "no medium \(medium.name) here"
        case .noBackground(let medium): "\(medium.name) does not work in the background"
        case .serviceUnreachable: "the service cannot be reached"
        case .serviceRefusing(let code): "the service refuses: \(code)"
        case .serviceInvalid: "the server at this address is not the service"
        }
    }
}
