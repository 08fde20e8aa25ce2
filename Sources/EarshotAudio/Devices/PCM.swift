import CALSA
import Glibc

/// One open PCM of ALSA: opening, choosing a format, moving frames, and what its return codes mean.
///
/// Every call returns at once or after a stated wait, so that a thread that uses it can be told to stop.
struct PCM: ~Copyable {
    typealias Direction = DeviceDirection

    /// Rates in the order in which they are tried. 48 kHz carries the band and is what most converters run at; more only
    /// costs time.
    static let preferredRatesHertz = [48_000, 44_100, 96_000, 88_200, 192_000, 176_400]

    let format: DeviceFormat
    private let handle: OpaquePointer

    /// Opens and configures; `start` lets it run.
    init(_ request: DeviceRequest, _ direction: Direction) throws(DeviceError) {
        let handle = try PCM.open(request.name, direction)
        do throws(DeviceError) {
            format = try PCM.configure(handle, request, direction)
        } catch {
            snd_pcm_close(handle)
            throw error
        }
        self.handle = handle
    }

    deinit {
        // Frames that were not played are not waited for; who wants them played has waited.
        _ = ALSAMessages.collecting { snd_pcm_close(handle) }
    }

    /// Opens without waiting for whoever uses it.
    static func open(_ name: String, _ direction: Direction) throws(DeviceError) -> OpaquePointer {
        var handle: OpaquePointer?
        let (code, said) = ALSAMessages.collecting {
            snd_pcm_open(&handle, name, direction.stream, CInt(SND_PCM_NONBLOCK))
        }
        guard code >= 0, let handle else {
            throw .alsa(Int(code), operation: "open", device: name, said: said)
        }
        return handle
    }

    /// Lets a capture device record, or a playback device play what was written.
    func start() throws(DeviceError) {
        guard snd_pcm_state(handle) != SND_PCM_STATE_RUNNING else { return }
        try check(Int(snd_pcm_start(handle)), "start")
    }

    /// Waits until there is a period to read or room for one to write.
    /// - Returns: 1 when there is, 0 after `milliseconds`, or a negative errno.
    func wait(milliseconds: Int) -> Int {
        let (code, _) = ALSAMessages.collecting { snd_pcm_wait(handle, CInt(milliseconds)) }
        if code == 0, snd_pcm_state(handle) == SND_PCM_STATE_DISCONNECTED { return Int(-ENODEV) }
        return Int(code)
    }

    /// Reads at most `frameCount` frames that are there.
    /// - Returns: how many, or a negative errno; −EAGAIN when none is there.
    func read(_ bytes: UnsafeMutableRawPointer, frameCount: Int) -> Int {
        snd_pcm_readi(handle, bytes, snd_pcm_uframes_t(frameCount))
    }

    /// Writes at most `frameCount` frames for which there is room.
    /// - Returns: how many, or a negative errno; −EAGAIN when there is no room.
    func write(_ bytes: UnsafeRawPointer, frameCount: Int) -> Int {
        snd_pcm_writei(handle, bytes, snd_pcm_uframes_t(frameCount))
    }

    /// Frames between us and the loudspeaker or the microphone; nil where the device does not say.
    var delayFrameCount: Int? {
        var delay: snd_pcm_sframes_t = 0
        return snd_pcm_delay(handle, &delay) == 0 ? delay : nil
    }

    /// Frames that can be read or written now; nil after an error.
    var availableFrameCount: Int? {
        let available = snd_pcm_avail_update(handle)
        return available >= 0 ? available : nil
    }

    /// Puts a stream right that has run over, run dry, or slept with the machine.
    /// - Returns: false when `code` is none of these, or it cannot be put right.
    func recover(from code: Int) -> Bool {
        switch CInt(-code) {
        case EPIPE:
            return snd_pcm_prepare(handle) >= 0
        case ESTRPIPE:
            for _ in 0..<20 {
                let resumed = snd_pcm_resume(handle)
                if resumed != -EAGAIN { return resumed >= 0 || snd_pcm_prepare(handle) >= 0 }
                MonotonicTime.sleep(seconds: 0.05)
            }
            return false
        default:
            return false
        }
    }

    /// An error of this device.
    func failure(_ code: Int, _ operation: String) -> DeviceError {
        .alsa(code, operation: operation, device: format.name)
    }

    private func check(_ code: Int, _ operation: String) throws(DeviceError) {
        if code < 0 { throw failure(code, operation) }
    }
}
