import EarshotAudio
final class SessionRecording {
    init(path: String, format: DeviceFormat, replacesExisting: Bool) throws {}
    func take(_ block: CaptureBlock, _ samples: Span<Float>, _ note: (String) -> Void) {}
    func finish() throws {}
}
