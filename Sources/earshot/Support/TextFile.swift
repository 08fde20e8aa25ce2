import EarshotConsole
import Glibc

/// Writes a text file completely or not at all.
enum TextFile {
    /// Writes `text` to a file, a device or a pipe; "-" is standard output.
    /// - Throws: `Failure` if the text cannot be written.
    static func write(_ text: String, to path: String) throws(Failure) {
        if path == "-" || path == "/dev/stdout" {
            StandardStream.output.write(text)
            return
        }
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT != S_IFREG {
            try check(writeBytes(of: text, to: path, flags: O_WRONLY), path)
            return
        }
        try check(replace(path, with: text, permissions: exists ? status.st_mode & 0o777 : nil), path)
    }

    /// Writes a file beside the target, then renames it. A signal waits until that is done, so that no partial file is
    /// left.
    /// - Returns: the `errno` of the step that failed, or nil.
    private static func replace(_ path: String, with text: String, permissions: mode_t?) -> CInt? {
        // A rename would replace a link, not the file that the link points to.
        var target = path
        if permissions != nil {
            guard access(path, W_OK) == 0, let resolved = realpath(path, nil) else { return errno }
            target = String(cString: resolved)
            free(resolved)
        }
        let directory = target.lastIndex(of: "/").map { String(target[...$0]) } ?? ""
        let temporary = "\(directory).earshot-\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
        return Interruption.deferred {
            var code = writeBytes(of: text, to: temporary, flags: O_WRONLY | O_CREAT | O_EXCL)
            if code == nil, let permissions, chmod(temporary, permissions) != 0 { code = errno }
            if code == nil, rename(temporary, target) != 0 { code = errno }
            if code != nil { unlink(temporary) }
            return code
        }
    }

    private static func writeBytes(of text: String, to path: String, flags: CInt) -> CInt? {
        let descriptor = open(path, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return errno }
        var text = text
        var code: CInt? = text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[written...])
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno != EINTR { return errno }
                written += max(0, count)
            }
            return nil
        }
        // Network file systems report a full disk only when the file is closed.
        if close(descriptor) != 0, code == nil { code = errno }
        return code
    }

    private static func check(_ code: CInt?, _ path: String) throws(Failure) {
        guard let code else { return }
        let (status, advice): (ExitStatus, String) =
            switch code {
            case ENOENT, ENOTDIR: (.cannotCreate, "Create the directory first, or name another one")
            case EACCES, EPERM, EROFS: (.cannotCreate, "Choose a directory and a file that you may write to")
            case EISDIR: (.cannotCreate, "Name a file in that directory")
            case ENOSPC, EDQUOT, EFBIG: (.inputOutput, "Free some space or choose another place")
            case EPIPE: (.brokenPipe, "Keep the program that reads the output running to its end")
            default: (.inputOutput, "Write to another place")
            }
        throw Failure(
            status, "Cannot write \(path.escapedForTerminal): \(String(cString: strerror(code))). \(advice).")
    }
}
