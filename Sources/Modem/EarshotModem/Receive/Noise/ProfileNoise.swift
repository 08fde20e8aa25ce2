/// The noise in a profile's band: of each channel, and in common.
///
/// A class, because the search writes it and `FrameMeasurer` reads it.
final class ProfileNoise {
    /// The noise of each channel.
    var channels: OwnedList<BandNoise>
    /// The noise that the channels have in common.
    var coherence = ChannelCoherence()

    init(format: BasebandFormat, channelCount: Int) {
        channels = OwnedList(count: channelCount) { _ in BandNoise(format: format) }
    }
}
