import ArgumentParser
import EarshotBasics

/// `--level`: the peak level, for every command that sends.
package struct LevelOption: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The peak level in decibels, 0 is full scale. The default is polite and loud enough for a room.",
            valueName: "dbfs"))
    package var level = -12.0

    package init() {}

    package func validate() throws {
        if !(level <= 0 && level > -90) {
            throw ValidationError(
                "--level \(DecimalText.short(level)): give a peak above -90 and up to 0 dBFS; -12 is a good start.")
        }
    }
}
