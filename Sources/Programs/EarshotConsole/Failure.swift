import Glibc

/// The exit code of the process: 0 and 1 are answers, the others are those of sysexits.h.
package enum ExitStatus: CInt, Sendable {
    case success = 0
    case noTokenFound = 1
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case noMemory = 71
    case cannotCreate = 73
    case inputOutput = 74
    case noPermission = 77
    /// The code that a shell reports for a process that SIGPIPE ended.
    case brokenPipe = 141
}

/// The reason why a command gives up: the text after "Error: ", and the exit code.
package struct Failure: Error, CustomStringConvertible {
    package let status: ExitStatus
    /// What failed, on which file or device, why, and what the user can do.
    package let description: String

    package init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }

    /// Prints the reason and ends the process. A reader that closed the pipe needs no message.
    package func exit() -> Never {
        if status != .brokenPipe { StandardStream.error.print("Error: \(description)") }
        Glibc.exit(status.rawValue)
    }
}
