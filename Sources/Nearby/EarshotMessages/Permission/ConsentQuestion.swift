import EarshotDiscovery

/// The text of a consent question. It is safe to print on a terminal: control and format characters are replaced by spaces.
public struct ConsentQuestion: Sendable, Hashable {
    /// The application's name, its use of microphone, loudspeaker and Bluetooth, and the reasons that its manifest gives. One to
    /// three lines, without a line break at the end.
    public let text: String

    /// An explanation of what devices exchange and send, with the path of the file with the answer. A few lines, for a
    /// user who wants to know more.
    public let explanation: String

    /// A question of these texts, to test a prompt with. They must be safe for the prompt.
    public init(text: String, explanation: String) {
        self.text = text
        self.explanation = explanation
    }
}

extension ConsentQuestion {
    /// The maximum length of other programs' texts: a question must fit on a screen.
    private static let maximumTextCount = 500

    /// The first question: may the program find devices or beacons nearby?
    /// - Parameters:
    ///   - media: the media of the program, for a purpose that names none.
    ///   - path: the file with the answer.
    init(
        _ purpose: ConsentPurpose, media: Set<DiscoveryMediumKind> = [.audio], manifest: PermissionManifest,
        path: String
    ) {
        let media = purpose.media ?? media
        let usesSound = media.contains(.audio)
        let usesBluetooth = media.contains(.bluetooth)
        let wordings: [(DiscoveryMode, DiscoveryMediumKind, String)] = [
            (.broadcast, .audio, "plays short sounds that people hardly hear"),
            (.scan, .audio, "listens with the microphone"),
            (.broadcast, .bluetooth, "sends short Bluetooth frames"),
            (.scan, .bluetooth, "receives Bluetooth frames of \(purpose.findsBeacons ? "beacons" : "other devices")"),
        ]
        let uses = wordings.filter { purpose.mode.contains($0.0) && media.contains($0.1) }.map(\.2)
        let use = uses.count < 3 ? uses.joined(separator: " and ") : Self.list(uses)
        let aim =
            purpose.findsBeacons ? "find Bluetooth beacons nearby" : "find devices nearby, and be found by them"
        let request = "\"\(Self.printable(purpose.applicationIdentifier))\" wants to \(aim): it \(use)."
        let reasons = [
            usesSound ? manifest.microphoneUsageDescription : nil,
            usesBluetooth && purpose.mode.contains(.broadcast) ? manifest.bluetoothUsageDescription : nil,
        ]
        text = Self.text(request, reasons: reasons)
        var carriers: [String] = []
        if usesSound { carriers.append("played as sound too high for most people's ears") }
        if usesBluetooth { carriers.append("sent as Bluetooth advertisements") }
        let exchange =
            purpose.findsBeacons
            ? """
            Beacons are small senders at fixed places; each repeats its number. The program sends each number that it receives to
            its service, which answers with the messages of the beacon. This device sends nothing to the beacon.
            """
            : """
            Devices find each other by random numbers, \(carriers.joined(separator: " or ")).
            The program sends each number that it receives to its service.\
            \(usesSound ? " All other sound stays in this process and is discarded." : "")
            Any device that is near may receive what the program publishes.
            """
        explanation = "\(exchange)\n\(Self.keeping(path))"
    }

    /// The second question: may the program know where the device is? Beacons are at fixed places, so they reveal it.
    init(location purpose: ConsentPurpose, manifest: PermissionManifest, path: String) {
        let request =
            "\"\(Self.printable(purpose.applicationIdentifier))\" wants to know where this device is\(purpose.goesOnInBackground ? ", also while it does not run" : ""): it notices "
            + "every beacon around, all the time."
        let reason =
            purpose.goesOnInBackground ? manifest.backgroundLocationUsageDescription : manifest.locationUsageDescription
        text = Self.text(request, reasons: [reason])
        explanation = """
            Beacons stand at fixed places: the service that knows them learns where this device is and when. iBeacons, and scans
            that never rest, tell it most exactly. Scans for Eddystone alone in low power do without this question. It is a
            question of this library: Linux has none, and other programs may scan without it.
            \(Self.keeping(path))
            """
    }

    private static func text(_ request: String, reasons: [String?]) -> String {
        let reasons = reasons.compactMap(\.self).map(printable).filter { !$0.isEmpty }
        let lines = reasons.enumerated().map { index, reason in
            // An app may give the same reason for both.
            reasons[..<index].contains(reason) ? nil : "Its reason: \(reason)"
        }
        return ([request] + lines.compactMap(\.self)).joined(separator: "\n")
    }

    private static func list(_ words: [String]) -> String {
        "\(words.dropLast().joined(separator: ", ")), and \(words.last ?? "")"
    }

    private static func keeping(_ path: String) -> String {
        "The answer is kept in\n\(printable(path)); remove the file to be asked again."
    }

    /// A text of another program must neither control the terminal nor look like a part of the question.
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
