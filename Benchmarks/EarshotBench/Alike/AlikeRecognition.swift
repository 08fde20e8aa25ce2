import EarshotChannel
import EarshotCoding
import EarshotModem
import EarshotTrials

/// Counts the false claims of recognition while the tokens that it knows are silent and
/// others are on the air, in `fast`.
///
/// A minute begins with ten tokens, one a second, which the receiver decodes and then knows. For the rest of
/// the minute other devices talk, with pauses of at most half a token. A recognised frame is false unless it is
/// one of these devices' tokens at its place.
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
