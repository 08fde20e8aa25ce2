package import EarshotSystem
package import Foundation
import Glibc

/// Why a configuration was not saved, loaded or removed.
public enum PushConfigurationError: Error, Hashable, CustomStringConvertible {
    /// The configuration breaks a limit; the sentence says which.
    case invalid(String)
    /// There is no such configuration.
    case missing(identifier: String)
    /// The folder or the file cannot be used; the sentence says why.
    case unusable(String)

    /// One sentence.
    public var description: String {
        switch self {
        case .invalid(let sentence): "The configuration is invalid. \(sentence)"
        case .missing(let identifier): "There is no configuration \(identifier)."
        case .unusable(let sentence): sentence
        }
    }
}

/// The user's configurations of local push: `$XDG_CONFIG_HOME/earshot/push/IDENTIFIER.json`, one file each, mode 0600,
/// in a folder of mode 0700. Apps write them; `earshot-agent` watches them.
public struct PushConfigurationStore: Sendable {
    /// The maximum number of configurations, because all are read at each change.
    public static let maximumCount = 64
    private static let maximumByteCount = 256 << 10
    private static let suffix = ".json"

    /// The folder, which need not exist.
    public var path: String { folder.path }
    package let folder: PrivateFolder

    /// - Parameter folder: an absolute path; nil for the user's folder.
    public init(folder: String? = nil) {
        self.folder = PrivateFolder(folder ?? Self.systemFolder)
    }

    /// `$XDG_CONFIG_HOME/earshot/push`, below `~/.config` by default.
    public static var systemFolder: String {
        let environment = ProcessInfo.processInfo.environment
        // XDG: a relative path is ignored.
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") { return "\(base)/earshot/push" }
        return "\(environment["HOME"] ?? "")/.config/earshot/push"
    }

    /// All configurations, and the problems of reading them.
    public struct Content: Sendable, Hashable {
        /// The latest saved first.
        public var configurations: [PushConfiguration] = []
        /// A sentence for each file or folder that is not used.
        public var problems: [String] = []
        /// The identifiers of files that are currently invalid: an editor may be writing one.
        package var invalid: Set<String> = []
        /// Whether a file or the list of them could not be read, so that configurations may be missing.
        package var isIncomplete = false
    }

    /// Reads all configurations without changing them. An invalid file, or one that another user could have written, is
    /// left out.
    public func load() -> Content {
        do throws(PrivateFolder.Failure) {
            return try read()
        } catch {
            return Content(problems: ["\(error)"], isIncomplete: error.isSystem)
        }
    }

    private func read() throws(PrivateFolder.Failure) -> Content {
        try folder.check()
        var content = Content()
        for name in try folder.names where name.hasSuffix(Self.suffix) {
            do throws(PrivateFolder.Failure) {
                guard let bytes = try folder.read(name, maximumByteCount: Self.maximumByteCount) else { continue }
                if let configuration = Self.configuration(Data(bytes)),
                    Self.fileName(configuration.identifier) == name
                {
                    content.configurations.append(configuration)
                } else {
                    content.problems.append(notUnderstood(name))
                    content.invalid.insert(String(name.dropLast(Self.suffix.count)))
                }
            } catch {
                content.problems.append("\(error)")
                if error.isSystem { content.isIncomplete = true }
            }
        }
        content.configurations.sort { ($0.savedCount, $0.identifier) > ($1.savedCount, $1.identifier) }
        if content.configurations.count > Self.maximumCount {
            content.configurations.removeLast(content.configurations.count - Self.maximumCount)
            content.problems.append(
                "\(path) has more than \(Self.maximumCount) configurations; the oldest are left out.")
        }
        return content
    }

    /// One configuration.
    /// - Throws: `missing`, or `unusable`.
    public func load(identifier: String) throws(PushConfigurationError) -> PushConfiguration {
        guard PushConfiguration.isIdentifier(identifier) else { throw .missing(identifier: identifier) }
        let name = Self.fileName(identifier)
        let bytes: [UInt8]?
        do throws(PrivateFolder.Failure) {
            try folder.check()
            bytes = try folder.read(name, maximumByteCount: Self.maximumByteCount)
        } catch {
            throw .unusable("\(error)")
        }
        guard let bytes else { throw .missing(identifier: identifier) }
        guard let configuration = Self.configuration(Data(bytes)), configuration.identifier == identifier else {
            throw .unusable(notUnderstood(name))
        }
        return configuration
    }

    /// Saves a configuration; it is on the disk when this returns. If it is enabled, every other enabled configuration
    /// of any app that shares a network with it is switched off.
    /// - Returns: the saved configuration, and the others that were switched off.
    /// - Throws: `invalid`, or `unusable`.
    @discardableResult
    public func save(
        _ configuration: PushConfiguration
    ) throws(PushConfigurationError) -> (saved: PushConfiguration, switchedOff: [PushConfiguration]) {
        if let flaw = configuration.flaw { throw .invalid(flaw) }
        return try perform {
            folder.tidy()
            let content = try read()
            // An unread configuration would stay enabled beside this one.
            if content.isIncomplete {
                throw PushConfigurationError.unusable(content.problems.joined(separator: " "))
            }
            let others = content.configurations
            let isNew = !others.contains { $0.identifier == configuration.identifier }
            guard !isNew || others.count < Self.maximumCount else {
                throw PushConfigurationError.unusable(
                    "There are \(Self.maximumCount) configurations already. 'earshot push list' shows them, and "
                        + "'earshot push remove' removes one.")
            }
            var saved = configuration
            var count = others.map(\.savedCount).max() ?? 0
            var switchedOff: [PushConfiguration] = []
            // The older ones first: after a crash in between, no two that overlap are enabled.
            if saved.isEnabled {
                for var other in others
                where other.identifier != saved.identifier && other.isEnabled && other.overlaps(saved) {
                    other.isEnabled = false
                    other.supersededBy = saved.identifier
                    count += 1
                    other.savedCount = count
                    try write(other)
                    switchedOff.append(other)
                }
            }
            saved.savedCount = count + 1
            saved.supersededBy = nil
            try write(saved)
            return (saved, switchedOff)
        }
    }

    /// Switches a configuration off.
    /// - Throws: `missing`, or `unusable`.
    @discardableResult
    public func disable(identifier: String) throws(PushConfigurationError) -> PushConfiguration {
        var configuration = try load(identifier: identifier)
        configuration.isEnabled = false
        return try save(configuration).saved
    }

    /// Removes a configuration.
    /// - Throws: `missing`, or `unusable`.
    public func remove(identifier: String) throws(PushConfigurationError) {
        guard PushConfiguration.isIdentifier(identifier), access("\(path)/\(Self.fileName(identifier))", F_OK) == 0
        else { throw .missing(identifier: identifier) }
        try perform { try folder.remove(Self.fileName(identifier)) }
    }

    private func perform<Result>(_ work: () throws -> Result) throws(PushConfigurationError) -> Result {
        do {
            try folder.make()
            return try folder.locked { Swift.Result(catching: work) }.get()
        } catch let error as PushConfigurationError {
            throw error
        } catch {
            throw .unusable("\(error)")
        }
    }

    private func write(_ configuration: PushConfiguration) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        try folder.write(Array(try encoder.encode(configuration)), to: Self.fileName(configuration.identifier))
    }

    private func notUnderstood(_ name: String) -> String {
        "\(path)/\(name) is not a configuration of this version of Earshot. Save it again, or remove the file."
    }

    private static func fileName(_ identifier: String) -> String { identifier + suffix }

    /// A configuration from untrusted bytes.
    /// - Returns: nil if they are not a valid one.
    package static func configuration(_ bytes: Data) -> PushConfiguration? {
        guard bytes.count <= maximumByteCount else { return nil }
        return try? JSONDecoder().decode(PushConfiguration.self, from: bytes)
    }
}
