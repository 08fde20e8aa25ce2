import EarshotPush
import EarshotSystem
import Foundation
import Glibc

/// Finds the program of a provider: the command in `<provider>.json` in one of a few folders. It accepts only programs
/// that no other user can change. Every file and folder that the command names is checked: with an interpreter, the
/// script is the program.
struct ProviderLocator: Sendable {
    /// A program in its present state.
    struct Program: Sendable, Hashable {
        /// An absolute path and arguments.
        var command: [String]
        /// The files and folders that the command names, the program first. A replaced one has another identity.
        var files: [File]
    }

    struct File: Sendable, Hashable {
        /// Absolute.
        var path: String
        var identity: Identity
    }

    struct Identity: Sendable, Hashable {
        var (device, inode, size): (UInt64, UInt64, Int64)
        var (seconds, nanoseconds): (Int, Int)
    }

    /// The reason why no program was found, as a sentence for the user.
    struct Refusal: Error, Hashable {
        var sentence: String
    }

    private struct Manifest: Decodable {
        var EarshotCommand: [String]
    }

    private static let maximumByteCount = 65_536

    let folders: [String]

    /// `$XDG_DATA_HOME/earshot/providers`, and two of the system.
    static var systemFolders: [String] {
        let environment = ProcessInfo.processInfo.environment
        var own: String?
        if let base = environment["XDG_DATA_HOME"], base.hasPrefix("/") {
            own = base
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            own = "\(home)/.local/share"
        }
        return [
            own.map { "\($0)/earshot/providers" }, "/usr/local/lib/earshot/providers", "/usr/lib/earshot/providers",
        ]
        .compactMap(\.self)
    }

    /// - Parameters:
    ///   - provider: an identifier that `PushConfiguration.flaw` has checked.
    ///   - places: watches the checked files and folders, also if they are refused.
    func program(of provider: String, watchedBy places: CheckedPlaces? = nil) throws(Refusal) -> Program {
        for folder in folders {
            let path = "\(folder)/\(provider).json"
            guard access(path, F_OK) == 0 else { continue }
            return try program(path, places)
        }
        throw Refusal(
            sentence: "The provider \(provider) is not installed: \(folders.joined(separator: ", ")) "
                + "\(folders.count == 1 ? "has" : "have") no \(provider).json.")
    }

    private func program(_ manifest: String, _ places: CheckedPlaces?) throws(Refusal) -> Program {
        func check(_ path: String, mayBeShared: Bool = false) throws(Refusal) {
            let flaw = PathOwnership.flaw(of: path, mayBeShared: mayBeShared) { places?.add($0) }
            if let flaw { throw Self.refusal(path, flaw) }
        }
        try check(manifest)
        guard let bytes = Self.content(of: manifest),
            let command = (try? JSONDecoder().decode(Manifest.self, from: bytes))?.EarshotCommand,
            let program = command.first, program.hasPrefix("/"),
            command.allSatisfy({ !$0.utf8.contains(0) })
        else {
            throw Refusal(
                sentence: "\(manifest) is not of the form {\"EarshotCommand\": [\"/absolute/path\", \"argument\"]}.")
        }
        try check(program)
        guard let file = Self.file(program), file.isRegular, access(program, X_OK) == 0 else {
            throw Refusal(sentence: "\(program), which \(manifest) names, is not a program.")
        }
        var files = [file.file]
        for word in command.dropFirst() {
            // `--script=/path` names a file too.
            let path = word.hasPrefix("-") ? word.split(separator: "=", maxSplits: 1).last.map(String.init) ?? "" : word
            guard let file = Self.file(path) else { continue }
            guard path.hasPrefix("/") else {
                // A command of the program, such as "run", may also be the name of a folder.
                guard file.isRegular else { continue }
                throw Refusal(
                    sentence:
                        "\(manifest) names \(path), which is in another folder for each agent. Write the absolute path."
                )
            }
            try check(path, mayBeShared: !file.isRegular)
            files.append(file.file)
        }
        return Program(command: command, files: files)
    }

    /// A file or folder in its present state; nil if there is none. Devices and sockets are not programs.
    private static func file(_ path: String) -> (file: File, isRegular: Bool)? {
        var status = stat()
        guard !path.isEmpty, stat(path, &status) == 0 else { return nil }
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        guard isRegular || status.st_mode & S_IFMT == S_IFDIR else { return nil }
        // The content of a folder can change without a new program.
        let identity = Identity(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: isRegular ? Int64(status.st_size) : 0,
            seconds: isRegular ? status.st_mtim.tv_sec : 0, nanoseconds: isRegular ? status.st_mtim.tv_nsec : 0)
        return (File(path: path, identity: identity), isRegular)
    }

    private static func refusal(_ path: String, _ flaw: String) -> Refusal {
        Refusal(
            sentence:
                "\(path) is not used: it \(flaw). A provider, its manifest, the files of its command and every folder above must belong to you "
                + "or root, and nobody else may write them.")
    }

    private static func content(of path: String) -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumByteCount)
        let count = read(descriptor, &bytes, bytes.count)
        return count >= 0 ? Data(bytes[..<count]) : nil
    }
}
