/// The sample format of a file without a header, written `encoding:rate[:channels]`: `s16le:48000`, `f32le:44100:2`.
public struct RawFormat: Equatable, Sendable, CustomStringConvertible {
    /// The encoding of each sample.
    public let encoding: SampleEncoding

    /// Frames a second, 1 … 1,536,000.
    public let sampleRateHertz: Int

    /// Interleaved channels, 1 … 64.
    public let channelCount: Int

    /// Creates a format from an encoding, a sample rate (1 … 1,536,000 Hz) and a channel count (1 … 64).
    public init(_ encoding: SampleEncoding, sampleRateHertz: Int, channelCount: Int = 1) {
        precondition(
            StreamLimits.sampleRateHertz.contains(sampleRateHertz),
            "sample rate \(sampleRateHertz) Hz outside \(StreamLimits.sampleRateHertz)")
        precondition(
            StreamLimits.channelCount.contains(channelCount),
            "channel count \(channelCount) outside \(StreamLimits.channelCount)")
        self.encoding = encoding
        self.sampleRateHertz = sampleRateHertz
        self.channelCount = channelCount
    }

    /// Parses `encoding:rate[:channels]`.
    ///
    /// - Throws: `AudioError` of the kind `badRawFormat`, with the valid values in its detail.
    public init(parsing text: String) throws(AudioError) {
        func refusal(_ detail: String) -> AudioError {
            AudioError(
                .badRawFormat, operation: "parse", path: "raw format \"\(text.prefix(80))\"", detail: detail,
                advice: "Write encoding:rate[:channels], such as s16le:48000 or f32le:44100:2")
        }
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(fields.count) else {
            throw refusal("it has \(fields.count) of 2 or 3 fields")
        }
        guard let encoding = SampleEncoding(rawValue: fields[0].lowercased()) else {
            let valid = SampleEncoding.allCases.map(\.rawValue).joined(separator: ", ")
            throw refusal("\"\(fields[0].prefix(20))\" is none of the encodings \(valid)")
        }
        guard let rate = Int(fields[1]), StreamLimits.sampleRateHertz.contains(rate) else {
            let limits = StreamLimits.sampleRateHertz
            throw refusal(
                "\"\(fields[1].prefix(20))\" is not a sample rate in hertz from \(limits.lowerBound) to \(limits.upperBound)"
            )
        }
        var channels = 1
        if fields.count == 3 {
            guard let parsed = Int(fields[2]), StreamLimits.channelCount.contains(parsed) else {
                let limits = StreamLimits.channelCount
                throw refusal(
                    "\"\(fields[2].prefix(20))\" is not a channel count from \(limits.lowerBound) to \(limits.upperBound)"
                )
            }
            channels = parsed
        }
        self.init(encoding, sampleRateHertz: rate, channelCount: channels)
    }

    /// The text that `init(parsing:)` reads.
    public var description: String {
        "\(encoding.rawValue):\(sampleRateHertz)" + (channelCount == 1 ? "" : ":\(channelCount)")
    }
}
