package import EarshotAudio
package import EarshotConsole

extension Failure {
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
}
