package import EarshotAudio
import Glibc

/// How the process ends: 0 and 1 are answers, the others are those of sysexits.h.
package enum ExitStatus: CInt, Sendable {
    case success = 0
    case noTokenFound = 1
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
    case inputOutput = 74
    case noPermission = 77
    /// As a shell reports a process that SIGPIPE ended.
    case brokenPipe = 141
}

/// Why a command gives up: what is printed after "Error: ", and the exit code.
package struct Failure: Error, CustomStringConvertible {
    package let status: ExitStatus
    /// What failed, on what, why, and what would work.
    package let description: String

    package init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }

    /// What an error means where `path` was to be read.
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
        self.init(status, error.description)
    }

    /// What an error means where a file was to be written.
    package init(writing error: AudioError) {
        let status: ExitStatus =
            switch error.kind {
            case .brokenPipe: .brokenPipe
            case .cannotRead, .cannotWrite, .noSpace: .inputOutput
            default: .cannotCreate
            }
        self.init(status, error.description)
    }

    /// What an error of a sound device means.
    package init(_ error: DeviceError) {
        self.init(error.kind == .notPermitted ? .noPermission : .unavailable, error.description)
    }

    /// Says why and ends the process. A reader that has gone knows already.
    package func exit() -> Never {
        if status != .brokenPipe { StandardStream.error.print("Error: \(description)") }
        Glibc.exit(status.rawValue)
    }
}
