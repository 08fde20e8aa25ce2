import ArgumentParser
import EarshotCoding

/// `--combine`: how many repeats in a burst are read together.
struct CombineOption: ParsableArguments {
    @Option(
        name: .customLong("combine"),
        help: ArgumentHelp(
            "Also read tokens that are sent several times in a burst (encode --burst) and too quiet alone: so many repeats "
                + "together, 2 to 8. Takes time, and such a token is known when its last repeat is over.",
            valueName: "number"))
    var count: Int?

    /// As a receiver wants it.
    var repeatCount: Int { count ?? 1 }

    func validate() throws {
        try Self.check(count)
    }

    static func check(_ count: Int?) throws {
        if let count, !FrameLayout.burstCounts.contains(count) {
            throw ValidationError("--combine \(count): 2 to 8 repeats are read together.")
        }
    }
}
