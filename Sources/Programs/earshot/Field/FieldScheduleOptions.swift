import ArgumentParser
import EarshotBasics
import EarshotConsole
import EarshotLoopback
import EarshotModem
import RealModule

/// The options that must be the same on both sides of a field measurement.
struct FieldScheduleOptions: ParsableArguments {
    /// The sample rate of the schedule. Recordings at other rates are converted to it.
    static let sampleRateHertz = 48_000
    /// Decibels from one level to the next, as from twice the distance outdoors.
    static let stepDecibels = -6.0

    @OptionGroup var loudness: LevelOption

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Levels, each 6 dB below the one before, 1 to 10.", valueName: "number"))
    var steps = 5

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Tokens of each profile at each level, 1 to 100.", valueName: "number"))
    var tokens = 5

    @Option(parsing: .unconditional, help: ArgumentHelp("The seed of tokens and pauses.", valueName: "number"))
    var seed = 1

    func validate() throws {
        if !(1...10).contains(steps) { throw ValidationError("--steps \(steps): give 1 to 10 levels.") }
        if !(1...100).contains(tokens) { throw ValidationError("--tokens \(tokens): give 1 to 100 tokens.") }
        if seed < 0 { throw ValidationError("--seed \(seed): give a whole number from 0 up.") }
    }

    func program() throws(Failure) -> LoopbackProgram {
        var order = LoopbackProgram.Order()
        order.sampleRateHertz = Self.sampleRateHertz
        order.tokensPerProfile = tokens
        order.amplitude = Float(Double.pow(10, loudness.level / 20))
        order.stepsDecibels = (0..<steps).map { Double($0) * Self.stepDecibels }
        order.seed = UInt64(seed)
        do throws(ModemError) {
            return try LoopbackProgram(order)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
