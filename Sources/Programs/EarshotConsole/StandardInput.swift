import EarshotSystem
import Glibc

/// Standard input, as the default of commands that read a file.
package enum StandardInput {
    /// Whether a user has redirected it: it is a pipe, or a file with content. A program whose user did not redirect
    /// its input gets a terminal, a device or an empty file.
    package static var hasContent: Bool {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFIFO || status.isRegularFile && status.st_size > 0
    }
}
