import ArgumentParser
import EarshotBasics

/// The end of a command that otherwise runs until Ctrl-C.
struct EndOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: ArgumentHelp("End after this time.", valueName: "seconds"))
    var seconds: Double?

    func validate() throws {
        if let seconds, !(seconds > 0 && seconds <= 1e8) {
            throw ValidationError("--seconds \(DecimalText.short(seconds)): give more than 0, and at most 100000000.")
        }
    }
}
