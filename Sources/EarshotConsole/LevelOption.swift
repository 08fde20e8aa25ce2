import ArgumentParser
import EarshotDrawing

/// The peak level, for every command that sends something.
package struct LevelOption: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The peak level in decibels, 0 is full scale; the default is polite and enough for a room.",
            valueName: "dbfs"))
    package var level = -12.0

    package init() {}

    package func validate() throws {
        if !(level <= 0 && level > -90) {
            throw ValidationError(
                "--level \(DecimalText.short(level)): a peak lies above -90 and not above 0 dBFS; -12 is a good start.")
        }
    }
}
