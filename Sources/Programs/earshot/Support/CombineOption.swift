import ArgumentParser
import EarshotCoding

/// `--combine`: how many repeats of a burst the receiver combines.
struct CombineOption: ParsableArguments {
    @Option(
        name: .customLong("combine"),
        parsing: .unconditional,
        help: ArgumentHelp(
            "Also decode tokens that are too quiet alone but are sent several times in a burst (encode --burst): combine "
                + "this many repeats, 2 to 8. It takes time, and a token is reported after its last repeat.",
            valueName: "number"))
    var count: Int?

    /// The number of repeats for the receiver; 1 decodes each frame alone.
    var repeatCount: Int { count ?? 1 }

    func validate() throws {
        try Self.check(count)
    }

    static func check(_ count: Int?) throws {
        if let count, !FrameLayout.burstCounts.contains(count) {
            throw ValidationError("--combine \(count): give 2 to 8 repeats.")
        }
    }
}
