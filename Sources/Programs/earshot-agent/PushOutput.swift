import EarshotConsole
import EarshotMessages
import Foundation
import NearbyWire

/// Prints the agent's overview of local push.
struct PushOutput {
    let isJSON: Bool

    func printStatus(_ overview: PushFrame.Overview) {
        let matching = overview.configurations.filter { $0.isEnabled && $0.isMatching }
        if isJSON {
            struct Line: Encodable {
                var network: String?
                var source: String?
                var configurations: Int
                var matching: Int
                var active: Int
                var problems: [String]
            }
            return print(
                Line(
                    network: overview.network, source: overview.networkSource,
                    configurations: overview.configurations.count, matching: matching.count,
                    active: overview.configurations.count { $0.state == "active" }, problems: overview.problems))
        }
        let network =
            overview.networkSource == nil
            ? "No configuration is enabled, so the network is not watched."
            : "Network: \(overview.network ?? "none that a configuration can name")."
        printText(network)
        for configuration in matching { printText(text(configuration)) }
        if matching.isEmpty, overview.networkSource != nil { printText("No configuration names this network.") }
        for problem in overview.problems { printText("Problem: \(problem)") }
    }

    func printList(_ overview: PushFrame.Overview) {
        if isJSON {
            for configuration in overview.configurations { print(Line(configuration)) }
            return
        }
        for configuration in overview.configurations {
            printText(text(configuration))
            if let error = configuration.lastError { printText("    last error: \(error)") }
            if let reason = configuration.lastStopReason { printText("    last stop: \(reason)") }
            if let other = configuration.supersededBy {
                printText("    switched off by configuration \(other), which names one of its networks")
            }
        }
        for problem in overview.problems { printText("Problem: \(problem)") }
        if overview.configurations.isEmpty { StandardStream.error.print("No app has saved a configuration.") }
    }

    func printLog(_ overview: PushFrame.Overview) {
        for line in overview.log {
            let time = Date(timeIntervalSince1970: line.time).ISO8601Format()
            isJSON ? print(["time": time, "text": line.text]) : printText("\(time)  \(line.text)")
        }
        if overview.log.isEmpty { StandardStream.error.print("Nothing has happened since the agent started.") }
    }

    private struct Line: Encodable {
        var configuration: String
        var app: String
        var description: String?
        var provider: String?
        var networks: [String]
        var enabled: Bool
        var superseded_by: String?
        var matching: Bool
        var state: String
        var process: Int32?
        var since: String?
        var restarts: Int
        var waiting: Int
        var last_error: String?
        var last_stop: String?

        init(_ configuration: PushFrame.Overview.Configuration) {
            self.configuration = configuration.identifier
            app = configuration.app
            description = configuration.description
            provider = configuration.provider
            networks = configuration.networks
            enabled = configuration.isEnabled
            superseded_by = configuration.supersededBy
            matching = configuration.isMatching
            state = configuration.state
            process = configuration.process
            since = configuration.since.map { Date(timeIntervalSince1970: $0).ISO8601Format() }
            restarts = configuration.restartCount
            waiting = configuration.waitingCount
            last_error = configuration.lastError
            last_stop = configuration.lastStopReason
        }
    }

    private func text(_ configuration: PushFrame.Overview.Configuration) -> String {
        var parts = [configuration.identifier, configuration.app]
        if let description = configuration.description { parts.append(description) }
        parts.append(configuration.networks.joined(separator: ", "))
        parts.append(configuration.isEnabled ? configuration.isMatching ? "matches" : "does not match" : "disabled")
        var provider = "\(configuration.provider ?? "no provider") \(configuration.state)"
        if let process = configuration.process, let since = configuration.since {
            provider += " as process \(process) since \(Date(timeIntervalSince1970: since).ISO8601Format())"
        }
        parts.append(provider)
        if configuration.restartCount > 0 {
            parts.append("\(configuration.restartCount) restart\(configuration.restartCount == 1 ? "" : "s")")
        }
        if configuration.waitingCount > 0 { parts.append("\(configuration.waitingCount) waiting") }
        return parts.joined(separator: "  ")
    }

    private func printText(_ text: String) { StandardStream.output.print(text.escapedForTerminal) }

    private func print(_ line: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let text = try? encoder.encode(line) else { return }
        StandardStream.output.print(String(decoding: text, as: UTF8.self))
    }
}
