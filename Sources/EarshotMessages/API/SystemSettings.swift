import Foundation

/// The service and the application that the environment names.
struct SystemSettings: Sendable {
    /// The service if the environment names none.
    static let loopback = "http://127.0.0.1:8787"

    var serviceURL: URL
    var applicationIdentifier: String
    /// Lines for people about values that were ignored.
    var notes: [String] = []

    /// - Parameter read: returns a file's content; nil if there is no such file.
    init(
        environment: [String: String], programName: String = CommandLine.arguments.first ?? "",
        read: (String) -> Data? = { FileManager.default.contents(atPath: $0) }
    ) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let name = programName.split(separator: "/").last.map(String.init)
        applicationIdentifier = value("EARSHOT_APP_ID") ?? name ?? "earshot"
        guard let fallback = URL(string: Self.loopback) else { preconditionFailure("a URL") }
        serviceURL = fallback
        if let text = value("EARSHOT_SERVICE") {
            if let url = Self.serviceURL(text) {
                serviceURL = url
                return
            }
            notes.append("EARSHOT_SERVICE is ignored: it is not an http or https URL")
        }
        // XDG: a path that is not absolute does not count.
        let folder =
            value("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? value("HOME").map { "\($0)/.config" }
        guard let folder, let content = read("\(folder)/earshot/service.json") else { return }
        struct File: Decodable { let url: String }
        if let file = try? JSONDecoder().decode(File.self, from: content), let url = Self.serviceURL(file.url) {
            serviceURL = url
        } else {
            notes.append("\(folder)/earshot/service.json is ignored: its \"url\" is not an http or https URL")
        }
    }

    private static func serviceURL(_ text: String) -> URL? {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            url.host?.isEmpty == false
        else { return nil }
        return url
    }
}
