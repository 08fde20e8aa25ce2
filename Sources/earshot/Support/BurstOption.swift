import ArgumentParser
import EarshotCoding
import EarshotConsole

/// `--burst`: how often a token is sent in a burst.
struct BurstOption: ParsableArguments {
    @Option(
        name: .customLong("burst"),
        help: ArgumentHelp(
            "Send it as a burst of 2 to 8 frames, which 'decode' and 'listen' read together with --combine: a token only, "
                + "8 bytes.",
            valueName: "count"))
    var count = 1

    func validate() throws {
        try Self.check(count)
    }

    /// Only tokens are sent in bursts.
    func check(_ payload: Payload) throws(Failure) {
        guard count == 1 || payload.count == Payload.tokenCount else {
            throw Failure(
                .usage,
                "Cannot send \(payload.count) bytes with --burst \(count): bursts are of tokens, which have "
                    + "\(Payload.tokenCount) bytes. Leave --burst out.")
        }
    }

    static func check(_ count: Int) throws {
        if count != 1, !FrameLayout.burstCounts.contains(count) {
            throw ValidationError("--burst \(count): a burst has 1 to 8 frames.")
        }
    }
}
