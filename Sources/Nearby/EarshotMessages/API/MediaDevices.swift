/// The names of devices that carry tokens, from the environment or the user's files. Programs create media from them.
public struct MediaDevices: Sendable, Hashable {
    /// The microphone, an ALSA PCM.
    public var microphone = "default"
    /// The loudspeaker, an ALSA PCM.
    public var loudspeaker = "default"
    /// The Bluetooth adapter, such as `hci1`; nil for the first that works.
    public var adapter: String?

    /// The system's default devices.
    public init() {}
}
