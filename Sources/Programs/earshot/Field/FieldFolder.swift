import EarshotConsole
import EarshotDrawing
import EarshotSystem
import Glibc

/// The folder that a field measurement writes, to be attached to an issue.
struct FieldFolder {
    private let path: FilePath
    private let overwrites: Bool
    private let theme: PictureTheme

    /// - Parameters:
    ///   - overwrites: whether the files of an existing folder are replaced.
    ///   - theme: the theme of the pictures.
    init(_ path: FilePath, overwrites: Bool, theme: PictureTheme) {
        (self.path, self.overwrites, self.theme) = (path, overwrites, theme)
    }

    /// - Throws: `Failure` if the folder exists and is not to be replaced, or cannot be written.
    func write(_ result: FieldResult) throws(Failure) {
        if path.withCString({ mkdir($0, 0o777) }) != 0 {
            let code = errno
            guard code == EEXIST else {
                throw Failure(
                    .cannotCreate,
                    "Cannot make \(path.escapedForTerminal): "
                        + (code == ENOENT
                            ? "there is no folder \(path.directory.escapedForTerminal). Make it first, or name another one."
                            : "\(String(cString: strerror(code)).lowercased()). Name a folder that you may write to."))
            }
            guard overwrites else {
                throw Failure(
                    .cannotCreate,
                    "\(path.escapedForTerminal) exists; name another folder, or add --overwrite to replace its files.")
            }
        }
        try TextFile.write(result.json.document + "\n", to: path.appending("/field.json"))
        try TextFile.write(theme.applied(to: result.decodedPicture), to: path.appending("/decoded.svg"))
        if let picture = result.responsePicture {
            try TextFile.write(theme.applied(to: picture), to: path.appending("/response.svg"))
        }
    }
}
