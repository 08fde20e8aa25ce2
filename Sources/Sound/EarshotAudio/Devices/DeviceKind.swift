import CALSA

/// The kind of a PCM: ALSA's types in a few groups.
public enum DeviceKind: String, CaseIterable, Sendable {
    /// A sound card, without anything in between.
    case hardware
    /// A sound card that several programs share: dmix, dsnoop.
    case shared
    /// A plugin that converts encodings or channels, and rates where the request allows it.
    case converter
    /// A plugin that always converts rates and does not report the hardware rate.
    case resampler
    /// A server that mixes the sound of several programs: PulseAudio, PipeWire, JACK.
    case soundServer
    /// A file, and the PCM it passes the sound on to.
    case file
    /// No device: it discards sound and delivers silence.
    case null

    init(_ type: snd_pcm_type_t) {
        self =
            switch type {
            // Hooks set a card's mixer while the card is open, and change no sample.
            case SND_PCM_TYPE_HW, SND_PCM_TYPE_HOOKS: .hardware
            case SND_PCM_TYPE_DMIX, SND_PCM_TYPE_DSNOOP, SND_PCM_TYPE_DSHARE, SND_PCM_TYPE_SHARE: .shared
            case SND_PCM_TYPE_IOPLUG, SND_PCM_TYPE_JACK, SND_PCM_TYPE_SHM, SND_PCM_TYPE_INET: .soundServer
            case SND_PCM_TYPE_FILE: .file
            case SND_PCM_TYPE_NULL: .null
            case SND_PCM_TYPE_RATE: .resampler
            default: .converter
            }
    }
}
