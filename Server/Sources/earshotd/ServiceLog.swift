import EarshotServer
import FoundationEssentials
import Glibc
import Logging
import Synchronization

/// The log of the service on standard error: lines of text, or of JSON.
///
/// All loggers share one level, which a reload of the configuration may change.
struct ServiceLog: LogHandler {
    enum Format: String, CaseIterable {
        case text
        case json
    }

    private static let level = Mutex(Logger.Level.info)

    var metadata = Logger.Metadata()
    private let format: Format
    private let text: StreamLogHandler

    init(label: String, format: Format) {
        self.format = format
        text = StreamLogHandler.standardError(label: label)
    }

    var logLevel: Logger.Level {
        get { Self.level.withLock { $0 } }
        nonmutating set { Self.level.withLock { $0 = newValue } }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        // The library logs the consequences of a listener that cannot start, each as an error, before the reason is known.
        if event.source == "HummingbirdCore",
            ["CancellationError()", "Already closed"].contains(where: "\(event.message)".hasSuffix)
        {
            return
        }
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        switch format {
        case .text:
            var event = event
            event.metadata = all
            text.log(event: event)
        case .json:
            var fields = all.mapValues { "\($0)" }
            fields["time"] = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            fields["level"] = event.level.rawValue
            fields["message"] = "\(event.message)"
            if let line = try? JSONText.line(fields) { printError(line) }
        }
    }
}
