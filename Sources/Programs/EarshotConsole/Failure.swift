package import EarshotAudio
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

    /// The failure for an error while reading a sound file.
    package init(reading error: AudioError) {
        let status: ExitStatus =
            switch error.kind {
            case .notFound, .notPermitted, .isDirectory: .noInput
            case .empty, .notAudio, .unsupported, .damaged, .tooLarge: .data
            case .badRawFormat: .usage
            case .exists, .notRegularFile: .cannotCreate
            case .cannotRead, .cannotWrite, .noSpace: .inputOutput
            case .brokenPipe: .brokenPipe
            }
        self.init(status, error.description.escapedForTerminal)
    }

    /// The failure for an error while writing a sound file.
    package init(writing error: AudioError) {
        let status: ExitStatus =
            switch error.kind {
            case .brokenPipe: .brokenPipe
            case .cannotRead, .cannotWrite, .noSpace: .inputOutput
            default: .cannotCreate
            }
        self.init(status, error.description.escapedForTerminal)
    }

    /// The failure for an error of a sound device.
    package init(_ error: DeviceError) {
        self.init(error.kind == .notPermitted ? .noPermission : .unavailable, error.description.escapedForTerminal)
    }

    /// Prints the reason and ends the process. A reader that closed the pipe needs no message.
    package func exit() -> Never {
        if status != .brokenPipe { StandardStream.error.print("Error: \(description)") }
        Glibc.exit(status.rawValue)
    }
}
