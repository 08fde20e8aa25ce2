/// All that was measured of one modem.
struct PeerRow: Codable {
    var name: String
    var setting: String
    var isChecked: Bool
    var waveform: PeerWaveform
    /// SNR by peak; subtract the waveform's back-off for the SNR by mean power.
    var whiteNoise: SensitivityScan
    var rooms: [String: SensitivityScan]
    /// The share that is decoded by speed, 10 dB above the threshold; each both ways.
    var motion: [Motion] = []
    /// With a tone 10 dB above the signal, 10 dB above the threshold.
    var tone: PeerTally?
    /// Of everything that was sent without a tone.
    var total = PeerTally()
    var cost: PeerCost?

    struct Motion: Codable {
        var relativeOffset: Double
        var tally: PeerTally
    }

    /// The largest speed up to which all were survived.
    var survivedOffset: Double? {
        motion.prefix { $0.tally.share >= SensitivityScan.share }.last?.relativeOffset
    }
}
