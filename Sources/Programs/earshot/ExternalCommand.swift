import EarshotAudio
import EarshotConsole
import EarshotSystem
import Glibc

/// A command that is a program of its own: `earshot NAME` runs `earshot-NAME`, as git does.
///
/// The program is in the folder of `earshot` or in a folder of PATH. So the decoder, which starts in 8 ms, needs
/// neither HTTP nor D-Bus, and a new command needs no change here.
struct ExternalCommand {
    private static let prefix = "earshot-"

    /// The path of the program's file.
    let path: String

    /// Finds the program for a command, first beside `earshot` and then in PATH. Nil if there is none.
    init?(named name: String) {
        // A name is neither a path nor an option.
        guard !name.isEmpty, !name.hasPrefix("-"), !name.contains("/") else { return nil }
        guard let folder = Self.folders.first(where: { Self.isProgram("\($0)/\(Self.prefix)\(name)") }) else {
            return nil
        }
        path = "\(folder)/\(Self.prefix)\(name)"
    }

    /// Replaces this process by the program.
    /// - Throws: `Failure` if the system refuses to start it.
    func become(_ arguments: [String]) throws(Failure) -> Never {
        var pointers: [UnsafeMutablePointer<CChar>?] = [strdup(path)]
        pointers += arguments.map { FilePath(bytes: ProgramArguments.bytes(of: $0)).withCString { strdup($0) } }
        pointers.append(nil)
        execv(path, pointers)
        throw Failure(.unavailable, "Cannot start '\(path.escapedForTerminal)': \(String(cString: strerror(errno))).")
    }

    /// Runs the program, which writes to the same standard output, and waits for its end. Its standard error is discarded.
    func run(_ arguments: [String]) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var pointers = ([path] + arguments).map { (text: String) in strdup(text) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process: pid_t = 0
        guard posix_spawn(&process, path, &actions, nil, &pointers, environ) == 0 else { return }
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }

    /// Only the other names of this program are commands: nearby, publish and those beside them are links to it.
    private static let linkedProgram = prefix + "messages"

    /// The names of all such commands that are installed, sorted.
    static var names: [String] {
        var names: Set<String> = []
        for folder in folders {
            for file in files(in: folder)
            where file.hasPrefix(prefix) && file != linkedProgram && isProgram("\(folder)/\(file)") {
                names.insert(String(file.dropFirst(prefix.count)))
            }
        }
        return names.sorted()
    }

    /// The folder of this program, then those of PATH. A relative folder in PATH depends on the current folder, so it
    /// does not count.
    private static var folders: [String] {
        var folders: [String] = []
        if let own = realpath("/proc/self/exe", nil) {
            let path = String(cString: own)
            free(own)
            folders.append(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        }
        let search = getenv("PATH").map { String(cString: $0) } ?? ""
        return folders + search.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }

    private static func files(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
