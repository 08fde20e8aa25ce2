import EarshotBasics
import EarshotConsole
import EarshotMessages
import Foundation
import NearbyWire

/// Prints the agent's overview.
struct AgentOutput {
    let isJSON: Bool

    func printStatus(_ overview: AgentOverview) {
        let operationCount = overview.apps.reduce(0) { $0 + $1.operations.count }
        guard isJSON else {
            let mebibytes = DecimalText.text(Double(overview.residentByteCount) / 1_048_576, decimals: 1)
            let radio = Int((radioShare(overview) * 100).rounded())
            return StandardStream.output.print(
                "earshot-agent runs as process \(overview.process) for \(duration(overview.uptimeSeconds)): "
                    + "\(operationCount) \(operationCount == 1 ? "operation" : "operations") of \(overview.apps.count) "
                    + "\(overview.apps.count == 1 ? "app" : "apps"), \(mebibytes) MiB, "
                    + "\(DecimalText.text(overview.cpuSeconds, decimals: 2)) s of processor time, the radio listens "
                    + "\(radio) % of the time.")
        }
        var line = JSONLine()
        line.add("process", Int(overview.process))
        line.add("uptime_s", overview.uptimeSeconds, decimals: 3)
        line.add("cpu_s", overview.cpuSeconds, decimals: 3)
        line.add("resident_bytes", overview.residentByteCount)
        line.add("radio_share", radioShare(overview), decimals: 3)
        line.add("apps", overview.apps.count)
        line.add("operations", operationCount)
        StandardStream.output.print(line.text)
    }

    /// All operations share one scan, so the one that needs most determines how much the radio listens.
    private func radioShare(_ overview: AgentOverview) -> Double {
        overview.apps.flatMap { $0.operations.map(\.radioShare) }.max() ?? 0
    }

    func printList(_ overview: AgentOverview) {
        for app in overview.apps {
            for operation in app.operations { isJSON ? printJSON(app, operation) : printText(app, operation) }
        }
        if !isJSON, overview.apps.allSatisfy(\.operations.isEmpty) {
            StandardStream.error.print("Nothing runs in the background.")
        }
    }

    private func printText(_ app: AgentOverview.App, _ operation: AgentOverview.Operation) {
        var parts = [app.app, operation.kind]
        if !operation.type.isEmpty { parts.append("type \(operation.type)") }
        if !operation.namespace.isEmpty { parts.append("namespace \(operation.namespace)") }
        let media = operation.media.joined(separator: ", ")
        parts.append("\(operation.status) on \(media)\(operation.problems.isEmpty ? "" : " with problems")")
        parts.append("for \(duration(Date().timeIntervalSince1970 - operation.since))")
        parts.append("radio \(Int((operation.radioShare * 100).rounded())) %")
        if operation.kind != "publication" { parts.append("\(operation.nearCount) near") }
        if operation.waitingCount > 0 { parts.append("\(operation.waitingCount) waiting") }
        let processes = app.processes.map { "\($0)" }.joined(separator: ", ")
        parts.append(app.processes.isEmpty ? "app not running" : "app running as \(processes)")
        StandardStream.output.print(parts.map(\.escapedForTerminal).joined(separator: "  "))
        for problem in operation.problems {
            let detail = problem.detail.isEmpty ? "" : ": \(problem.detail)"
            StandardStream.output.print("    problem: \(words(problem.problem))\(detail)".escapedForTerminal)
        }
    }

    private func printJSON(_ app: AgentOverview.App, _ operation: AgentOverview.Operation) {
        struct Line: Encodable {
            var app: String
            var running: [Int32]
            var id: String
            var kind: String
            var type: String
            var namespace: String
            var status: String
            var media: [String]
            var problems: [AgentProblem]
            var since: String
            var radio_share: Double
            var near: Int
            var waiting: Int
        }
        let date = Date(timeIntervalSince1970: operation.since)
        let line = Line(
            app: app.app, running: app.processes, id: operation.id, kind: operation.kind, type: operation.type,
            namespace: operation.namespace, status: operation.status, media: operation.media,
            problems: operation.problems, since: date.ISO8601Format(),
            radio_share: (operation.radioShare * 1_000).rounded() / 1_000,
            near: operation.nearCount,
            waiting: operation.waitingCount)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let text = try? encoder.encode(line) else { return }
        StandardStream.output.print(String(decoding: text, as: UTF8.self))
    }

    /// A name such as noBluetoothAdapter as words: "no Bluetooth adapter".
    private func words(_ name: String) -> String {
        name.reduce(into: "") { text, letter in text += letter.isUppercase ? " " + letter.lowercased() : String(letter)
        }
        .replacing("bluetooth", with: "Bluetooth")
    }

    private func duration(_ seconds: Double) -> String {
        let seconds = max(0, Int(seconds))
        switch seconds {
        case ..<120: return "\(seconds) s"
        case ..<7_200: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3_600) h"
        default: return "\(seconds / 86_400) days"
        }
    }
}
