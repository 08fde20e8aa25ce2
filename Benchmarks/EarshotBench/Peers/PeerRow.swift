/// All measurements of one modem.
struct PeerRow: Codable {
    var name: String
    var setting: String
    var isChecked: Bool
    var waveform: PeerWaveform
    /// SNR by peak; subtract the waveform's back-off for the SNR by mean power.
    var whiteNoise: SensitivityScan
    var rooms: [String: SensitivityScan]
    /// The decoded share by speed, 10 dB above the threshold, for both directions.
    var motion: [Motion] = []
    /// The tally with a tone 10 dB above the signal, 10 dB above the threshold.
    var tone: PeerTally?
    /// The tally of all tokens sent without a tone.
    var total = PeerTally()
    var cost: PeerCost?

    struct Motion: Codable {
        var relativeOffset: Double
        var tally: PeerTally
    }

    /// The highest speed up to which all tokens decode at every speed.
    var survivedOffset: Double? {
        motion.prefix { $0.tally.share >= SensitivityScan.share }.last?.relativeOffset
    }
}
