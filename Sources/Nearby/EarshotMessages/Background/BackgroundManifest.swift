import EarshotDiscovery
package import NearbyWire

/// The part of an app's manifest that the agent follows: what the app may do in the background, and how to start it.
package struct BackgroundManifest: Sendable, Equatable {
    /// The notification about a message. The message replaces each `{text}` in it, if it is text.
    package struct Notification: Codable, Sendable, Hashable {
        /// The first line; the app's identifier if it is missing.
        package var title: String?
        package var body: String?

        package init(title: String? = nil, body: String? = nil) {
            self.title = title
            self.body = body
        }

        /// The template with the message inserted; an ellipsis for a message that is empty or not text.
        package static func fill(_ template: String, with message: Message) -> String {
            guard template.contains("{text}") else { return template }
            let text = String(validating: message.content, as: UTF8.self) ?? ""
            return template.replacing("{text}", with: text.isEmpty ? "…" : text)
        }
    }

    /// The name of the file, for people.
    package let fileName: String
    /// The folder of the file if it is not beside the program, for people.
    package let folder: String
    /// The values of `UIBackgroundModes`.
    package var modes: Set<String>
    /// The program and its arguments; nil if the manifest names none, or none with an absolute path.
    package var command: [String]?
    /// The notification that the agent shows; nil for none. A click on it starts the app.
    package var notification: Notification?
    /// A sentence: why a file was ignored; nil if none was.
    package var fault: String?

    /// Reads the manifest of an app now; empty if there is none.
    /// - Parameters:
    ///   - programFolder: the folder of the app's program, where the manifest is looked for first; nil if that is unknown.
    ///   - configurationFolder: replaces `$XDG_CONFIG_HOME`; nil for that.
    package static func load(
        app: String, programFolder: String?, configurationFolder: String? = nil,
        log: (@Sendable (String) -> Void)? = nil
    ) -> BackgroundManifest {
        let folder = ConfigurationFolder(applicationIdentifier: app, base: configurationFolder)
        let manifest = PermissionManifest.load(for: folder, programFolder: programFolder ?? folder.path, log: log)
        let command = manifest.command.flatMap { command in
            command.first?.hasPrefix("/") == true && command.allSatisfy { !$0.utf8.contains(0) } ? command : nil
        }
        return BackgroundManifest(
            fileName: "\(folder.name).nearby.json", folder: folder.path, modes: Set(manifest.backgroundModes ?? []),
            command: command,
            notification: manifest.notification, fault: manifest.fault)
    }

    /// Why the operation may not run in the background, as a sentence; nil if the manifest declares everything that it
    /// needs.
    ///
    /// A scan needs `bluetooth-central`, a broadcast `bluetooth-peripheral`, and a scan for beacons that can reveal
    /// where the device is needs `location`.
    package func refusal(of operation: BackgroundOperation) -> String? {
        let needs: [(Bool, mode: String, purpose: String)] = [
            (
                operation.discoveryMode.contains(.scan) || operation.beacons != nil, "bluetooth-central",
                "scanning in the background"
            ),
            (operation.discoveryMode.contains(.broadcast), "bluetooth-peripheral", "broadcasting in the background"),
            (
                operation.beacons?.scan.needsLocation == true, "location",
                "looking for iBeacons, or for beacons without low power, in the background"
            ),
        ]
        let missing = needs.filter { $0.0 && !modes.contains($0.mode) }
        guard !missing.isEmpty else { return nil }
        if let fault { return "\(fault) Correct it, or do not allow the operation in the background." }
        return missing.map {
            "\(fileName) does not declare \($0.mode) in UIBackgroundModes, which \($0.purpose) needs."
        }.joined(separator: " ")
            + " Declare it in that file, beside the program or in \(folder), or do not allow the operation in the background."
    }
}
