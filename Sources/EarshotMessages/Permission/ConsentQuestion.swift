import EarshotDiscovery

/// The text of a consent question. It is safe to print on a terminal: control and format characters are replaced by spaces.
public struct ConsentQuestion: Sendable, Hashable {
    /// The application's name, its use of microphone and loudspeaker, and its reason if its manifest has one. One or two lines,
    /// without a line break at the end.
    public let text: String

    /// An explanation of what devices exchange and send, with the path of the file that keeps the answer. A few lines, for a
    /// user that asks for more.
    public let explanation: String

    /// A question of these texts, to test a prompt with. They must be safe for the prompt.
    public init(text: String, explanation: String) {
        self.text = text
        self.explanation = explanation
    }
}

extension ConsentQuestion {
    /// Longer texts of others are cut: a question must fit on a screen.
    private static let maximumTextCount = 500

    /// - Parameter path: the file that keeps the answer.
    init(_ purpose: ConsentPurpose, manifest: PermissionManifest, path: String) {
        let application = Self.printable(purpose.applicationIdentifier)
        let wordings: [(DiscoveryMode, String)] = [
            (.broadcast, "plays short sounds that people hardly hear"), (.scan, "listens with the microphone"),
        ]
        let use = wordings.filter { purpose.mode.contains($0.0) }.map(\.1).joined(separator: " and ")
        let request = "\"\(application)\" wants to find devices nearby, and be found by them: it \(use)."
        let reason = manifest.microphoneUsageDescription.map(Self.printable).flatMap { $0.isEmpty ? nil : $0 }
        text = reason.map { "\(request)\nIts reason: \($0)" } ?? request
        explanation = """
            Devices find each other by random numbers, played as sound too high for most people's ears. The program sends each
            number that the microphone hears to its service. All other sound stays in this process and is discarded. Any device
            within earshot may receive what the program publishes. The answer is kept in
            \(Self.printable(path)); remove the file to be asked again.
            """
    }

    /// A text of another program must neither steer the terminal nor look like a part of the question.
    private static func printable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(maximumTextCount) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result.append(" ")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
