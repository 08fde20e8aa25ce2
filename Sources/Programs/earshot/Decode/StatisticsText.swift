import EarshotBasics
import EarshotModem

/// A receiver's counts in words, for users who ask why a token was not found.
enum StatisticsText {
    /// One line. The seconds are summed over receivers: several channels that are decoded together count once.
    static func line(_ statistics: ReceiverStatistics, file: String, sampleRateHertz: Int) -> String {
        let seconds = Double(statistics.samples) / Double(sampleRateHertz)
        return "\(file): searched \(DecimalText.text(seconds, decimals: 3)) s"
            + ", frames \(statistics.frames)"
            + (statistics.combinedFrames > 0 ? ", of which combined \(statistics.combinedFrames)" : "")
            + ", of which cancelled \(statistics.cancelledFrames)"
            + ", candidates \(statistics.candidates)"
            + ", rejected by sync pattern \(statistics.rejectedBySync)"
            + ", by crowding \(statistics.rejectedByCrowding)"
            + ", by budget \(statistics.rejectedByBudget)"
            + ", by path metric \(statistics.rejectedByPathMetric)"
            + ", by evidence \(statistics.rejectedByEvidence)"
            + ", by CRC \(statistics.rejectedByCheck)"
            + ", duplicates \(statistics.duplicates)"
    }
}
