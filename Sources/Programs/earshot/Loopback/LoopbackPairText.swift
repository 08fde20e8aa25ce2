import EarshotBasics
import EarshotLoopback

/// The measured figures of loudspeaker and microphone in words.
enum LoopbackPairText {
    /// A lower level, in dBFS, counts as no noise: it is far below the resolution of 24 bits.
    private static let silentDecibels = -180.0

    /// One line; levels are in dBFS.
    static func figures(_ pair: PairReport) -> String {
        var parts = [
            "response \(decibels(pair.band.meanDecibels)) dB, uneven by \(decibels(pair.band.rippleDecibels)) dB",
            pair.noiseLevelDecibels < silentDecibels
                ? "no noise" : "noise \(decibels(pair.noiseLevelDecibels)) dBFS in the band",
        ]
        if let cutOff = pair.cutOffHertz {
            parts.append("nothing above \(DecimalText.text(cutOff / 1_000, decimals: 2)) kHz")
        }
        parts.append(pair.clipping.isAudible ? "clipped" : "not clipped")
        return parts.joined(separator: ", ")
    }

    private static func decibels(_ value: Double) -> String {
        DecimalText.text(value, decimals: 1)
    }
}
