import CALSA

/// Which way sound goes through a device.
public enum DeviceDirection: String, CaseIterable, Sendable {
    /// From the air to us.
    case capture
    /// From us to the air.
    case playback

    var stream: snd_pcm_stream_t { self == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK }
}
