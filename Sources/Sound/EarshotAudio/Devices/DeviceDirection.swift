import CALSA

/// The direction of sound through a device.
public enum DeviceDirection: String, CaseIterable, Sendable {
    /// From a microphone or line input into the program.
    case capture
    /// From the program to a loudspeaker or line output.
    case playback

    var stream: snd_pcm_stream_t { self == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK }
}
