import EarshotConsole
import EarshotSystem
import Glibc

/// The sound files in a folder and in its subfolders, for commands that take files.
enum SoundFileSearch {
    /// Extensions of the formats that libsndfile reads.
    static let extensions = [
        "wav", "wave", "flac", "ogg", "oga", "opus", "mp3", "aif", "aiff", "aifc", "au", "snd", "caf", "w64", "rf64",
    ]

    /// The extensions as text for the user.
    static var extensionList: String { extensions.joined(separator: ", ") }

    /// The sound files in a folder, in the order of their paths. For any other path, the path itself.
    ///
    /// Hidden files and folders do not count. Links to files count and links to folders do not, so that the search
    /// ends. A folder that cannot be listed is itself returned, so that opening it gives the reason.
    /// - Throws: `Failure` if the folder has no sound file.
    static func files(at path: FilePath) throws(Failure) -> [FilePath] {
        guard path != "-", path.status?.isDirectory == true else { return [path] }
        let files = content(of: path.hasSuffix("/") ? path.dropLast(1) : path)
        if files.isEmpty {
            throw Failure(
                .noInput,
                "Cannot decode the directory \(path.escapedForTerminal): no file in it has the extension of a sound file "
                    + "(\(extensionList)). Name the files themselves.")
        }
        return files
    }

    private static func content(of folder: FilePath) -> [FilePath] {
        guard let names = names(in: folder) else { return [folder] }
        return names.flatMap { name -> [FilePath] in
            let path = folder.appending(name: name)
            if path.isFolder { return content(of: path) }
            return hasExtension(name) && path.status?.isDirectory == false ? [path] : []
        }
    }

    /// The names in a folder that are not hidden, sorted; nil if it cannot be listed.
    private static func names(in folder: FilePath) -> [FilePath]? {
        guard let directory = folder.withCString({ opendir($0) }) else { return nil }
        defer { closedir(directory) }
        var names: [FilePath] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { FilePath(bytes: $0) }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    private static func hasExtension(_ name: FilePath) -> Bool {
        let text = name.description.lowercased()
        return extensions.contains { text.hasSuffix(".\($0)") }
    }
}

extension FilePath {
    /// Whether the path is a directory and not a link to one.
    fileprivate var isFolder: Bool {
        var status = stat()
        return withCString { lstat($0, &status) } == 0 && status.isDirectory
    }
}
