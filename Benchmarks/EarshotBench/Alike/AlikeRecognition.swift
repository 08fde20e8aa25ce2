import EarshotChannel
import EarshotCoding
import EarshotModem
import EarshotTrials

/// Counts what recognition claims while the tokens that it knows are silent and others are on the air, in `fast`.
///
/// A minute begins with ten tokens, one a second, which the receiver decodes and then knows. For the rest of the minute some
/// other devices talk without a pause longer than half a token. Every recognised frame is false that is not one of these
/// devices' tokens at its place.
func measureAlikeRecognition(_ report: inout Report, hours: Double, seed: UInt64) throws {
    let minuteCount = max(1, Int((60 * hours).rounded()))
    report.add(
        "\n**Recognition beside other talkers**: ten tokens are known and silent, others talk all the time, \(minuteCount) minutes "
            + "a row, `fast`, 20 dB; `alike --part recognition --hours \(decimal(hours, 2))`. A claim is false if the token that it "
            + "names was not sent there.\n")
    report.add(
        "| tokens | talkers | their frames | decoded | recognised, rightly | false claims | at most in an hour |\n"
            + "|---|---|---|---|---|---|---|")
    for talkerCount in [0, 1, 2, 4, 8] {
        for isAlike in [false, true] {
            let minutes = try concurrently(minuteCount) { minute in
                try RecognitionMinute(talkerCount: talkerCount, isAlike: isAlike, seed: seed + UInt64(minute)).listen()
            }
            let total = minutes.reduce(into: RecognitionCount()) { $0.add($1) }
            let bound = PoissonBound.upper(count: total.falseCount) / (Double(minuteCount) / 60)
            report.add(
                "| \(isAlike ? "alike" : "random") | \(talkerCount) | \(total.sentCount) | \(total.decodedCount) | "
                    + "\(total.recognisedCount) | \(total.falseCount) | \(decimal(bound, 1)) |")
        }
    }
}
