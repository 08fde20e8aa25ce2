import EarshotDiscovery

/// What the user is told when asked: who, what for, why, and what it means.
struct ConsentQuestion: Sendable, Equatable {
    private let who: String
    private let use: String
    private let reason: String?
    private let path: String

    /// Longer texts are cut: a question must fit on a screen.
    private static let longestText = 500

    /// - Parameter path: where the answer is kept.
    init(_ purpose: ConsentPurpose, manifest: PermissionManifest, path: String) {
        who = Self.printable(purpose.applicationIdentifier)
        let wordings: [(DiscoveryMode, String)] = [
            (.broadcast, "plays short sounds that people hardly hear"), (.scan, "listens with the microphone"),
        ]
        use = wordings.filter { purpose.mode.contains($0.0) }.map(\.1).joined(separator: " and ")
        reason = manifest.microphoneUsageDescription.map(Self.printable).flatMap { $0.isEmpty ? nil : $0 }
        self.path = Self.printable(path)
    }

    /// Who asks and why.
    var text: String {
        let words = "\"\(who)\" wants to find devices nearby, and be found by them: it \(use)."
        return reason.map { "\(words)\nIt says why: \($0)" } ?? words
    }

    /// What it means.
    var explanation: String {
        """
        Devices find each other by random numbers, said in sound too high for most people's ears. A number that the microphone
        hears is sent to the service that the program uses; what else it hears stays in this process and is forgotten. Whoever
        is in earshot may get what the program publishes. The answer is kept in
        \(path); remove the file to be asked again.
        """
    }

    /// A text of somebody else must not steer the terminal, nor look like ours.
    private static func printable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(longestText) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result.append(" ")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
