public import EarshotCoding

/// A frame heard on the air, with the evidence for it.
public struct ReceivedFrame: Sendable, Equatable {
    /// The bytes it carries.
    public var payload: Payload
    /// The name of its profile.
    public var profileName: String
    /// The input sample at which it starts; negative if it began before the input did.
    public var startSample: SampleIndex
    /// The input sample after its last one.
    public var endSample: SampleIndex
    /// The offset of its tones from their places at the band's centre, in hertz: Doppler and clock error. Negative is
    /// lower.
    public var offsetHertz: Double
    /// Signal power over noise power in 1,500 Hz, in decibels.
    public var snrDecibels: Float
    /// The mean of ln(1 + E/N) over the data tones: from about 1.1 for a frame that was just decoded in noise (0.9 if combined) to
    /// 4.6 without noise. A codeword fitted to noise has about 1.4, so this does not tell a faint frame from noise; the CRC does.
    public var pathMetric: Float
    /// The channel that heard the frame best, from 0 on. The SNR is that of this channel.
    public var channel = 0
    /// The number of frames of a burst that were read together: 1 for a frame that was read alone. In a burst,
    /// `startSample` belongs to the first of these frames and `endSample` to the last.
    public var combinedCount = 1
    /// Whether the frame was recognised instead of decoded: most of its tones are those of a token that was decoded less than a
    /// minute before. Only an opt-in receiver reports such frames; their `pathMetric` is 0.
    public var isRecognised = false
}
