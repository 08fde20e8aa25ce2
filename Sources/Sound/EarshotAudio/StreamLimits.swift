/// The header values that the reader accepts. It rejects all others, so that no header controls an allocation.
enum StreamLimits {
    /// 1.536 MHz is twice the highest rate of any converter on the market.
    static let sampleRateHertz = 1...1_536_000

    static let channelCount = 1...64

    /// The error for a sample rate or channel count outside the limits, or nil.
    static func refusal(sampleRateHertz rate: Int, channelCount channels: Int, path: String) -> AudioError? {
        if !channelCount.contains(channels) {
            return AudioError(
                channels == 0 ? .damaged : .unsupported, operation: "open", path: path,
                detail: "its header claims \(channels) channels",
                advice: "Record or convert it with 1 to \(channelCount.upperBound) channels")
        }
        if !sampleRateHertz.contains(rate) {
            return AudioError(
                rate == 0 ? .damaged : .unsupported, operation: "open", path: path,
                detail: "its header claims a sample rate of \(rate) Hz",
                advice: "Record or convert it at 1 to \(sampleRateHertz.upperBound) Hz")
        }
        return nil
    }
}
