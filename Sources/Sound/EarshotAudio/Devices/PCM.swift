import CALSA
import EarshotSystem
import Glibc

/// One open PCM of ALSA: it opens a device, chooses a format, moves frames and interprets return codes.
///
/// Every call returns at once or after a stated wait, so that a thread that uses it can be told to stop.
struct PCM: ~Copyable {
    typealias Direction = DeviceDirection

    /// The rates in order of preference, in hertz. 48 kHz carries the band and is what most converters run at; a higher
    /// rate only costs time.
    static let preferredRatesHertz = [48_000, 44_100, 96_000, 88_200, 192_000, 176_400]

    let format: DeviceFormat
    private let handle: OpaquePointer

    /// Opens and configures the device; `start` runs it.
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
        // Closing drops frames not played yet; a caller that wants them played waits before.
        _ = ALSAMessages.collecting { snd_pcm_close(handle) }
    }

    /// Opens without waiting for another program that uses the device.
    static func open(_ name: String, _ direction: Direction) throws(DeviceError) -> OpaquePointer {
        var handle: OpaquePointer?
        func attempt() -> CInt { snd_pcm_open(&handle, name, direction.stream, CInt(SND_PCM_NONBLOCK)) }
        let (code, said) = ALSAMessages.collecting {
            let code = attempt()
            guard code == -ENOENT || code == -ENODEV else { return code }
            // A sound server may have started since: the configuration depends on whether it runs, and alsa-lib reads it once.
            snd_config_update_free_global()
            return attempt()
        }
        guard code >= 0, let handle else {
            throw .alsa(Int(code), operation: "open", device: name, said: said)
        }
        return handle
    }

    /// Starts recording, or playing the frames already written.
    func start() throws(DeviceError) {
        guard snd_pcm_state(handle) != SND_PCM_STATE_RUNNING else { return }
        try check(Int(snd_pcm_start(handle)), "start")
    }

    /// Waits until a period can be read or written.
    /// - Returns: 1 if one can, 0 after `milliseconds`, or a negative errno.
    func wait(milliseconds: Int) -> Int {
        let (code, _) = ALSAMessages.collecting { snd_pcm_wait(handle, CInt(milliseconds)) }
        if code == 0, snd_pcm_state(handle) == SND_PCM_STATE_DISCONNECTED { return Int(-ENODEV) }
        return Int(code)
    }

    /// Reads at most `frameCount` available frames.
    /// - Returns: their number, or a negative errno; −EAGAIN if none is available.
    func read(_ bytes: UnsafeMutableRawPointer, frameCount: Int) -> Int {
        snd_pcm_readi(handle, bytes, snd_pcm_uframes_t(frameCount))
    }

    /// Writes at most `frameCount` frames, as many as there is room for.
    /// - Returns: their number, or a negative errno; −EAGAIN if there is no room.
    func write(_ bytes: UnsafeRawPointer, frameCount: Int) -> Int {
        snd_pcm_writei(handle, bytes, snd_pcm_uframes_t(frameCount))
    }

    /// Frames between the program and the loudspeaker or microphone; nil if the device does not report them.
    var delayFrameCount: Int? {
        var delay: snd_pcm_sframes_t = 0
        return snd_pcm_delay(handle, &delay) == 0 ? delay : nil
    }

    /// Frames that can be read or written now; nil after an error.
    var availableFrameCount: Int? {
        let available = snd_pcm_avail_update(handle)
        return available >= 0 ? available : nil
    }

    /// Recovers a stream after an overrun, an underrun or a suspended machine.
    /// - Returns: false if `code` is none of these, or the recovery fails.
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

    /// The error of a call on this device.
    func failure(_ code: Int, _ operation: String) -> DeviceError {
        .alsa(code, operation: operation, device: format.name)
    }

    private func check(_ code: Int, _ operation: String) throws(DeviceError) {
        if code < 0 { throw failure(code, operation) }
    }
}
