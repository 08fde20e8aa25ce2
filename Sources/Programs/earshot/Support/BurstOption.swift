import ArgumentParser
import EarshotCoding
import EarshotConsole

/// `--burst`: the number of frames that carry one token in a burst.
struct BurstOption: ParsableArguments {
    @Option(
        name: .customLong("burst"),
        parsing: .unconditional,
        help: ArgumentHelp(
            "Send a token (8 bytes) as a burst of 2 to 8 frames, which 'decode' and 'listen' combine with "
                + "--combine.",
            valueName: "count"))
    var count = 1

    func validate() throws {
        try Self.check(count)
    }

    /// Checks the payload: a burst carries only a token.
    /// - Throws: `Failure` if the payload is not a token.
    func check(_ payload: Payload) throws(Failure) {
        guard count == 1 || payload.count == Payload.tokenCount else {
            throw Failure(
                .usage,
                "Cannot send \(payload.count) bytes with --burst \(count): a burst carries a token, which has "
                    + "\(Payload.tokenCount) bytes. Leave --burst out.")
        }
    }

    static func check(_ count: Int) throws {
        if count != 1, !FrameLayout.burstCounts.contains(count) {
            throw ValidationError("--burst \(count): give 1 to 8 frames.")
        }
    }
}
