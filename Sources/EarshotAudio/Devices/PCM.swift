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

extension PCM {
    /// Chooses, in this order: a rate that is not resampled, the encoding that loses least, and the fewest channels.
    private static func configure(_ handle: OpaquePointer, _ request: DeviceRequest, _ direction: Direction)
        throws(DeviceError) -> DeviceFormat
    {
        let name = request.name
        func check(_ code: CInt, _ what: String) throws(DeviceError) {
            guard code < 0 else { return }
            let problem = DeviceError.alsa(Int(code), operation: "configure", device: name, said: what)
            throw code == -EINVAL
                ? DeviceError(
                    .unsupported, operation: "configure", device: name, detail: "it does not offer \(what)",
                    advice: problem.advice) : problem
        }
        let parameters = HardwareParameters()
        let hardware = parameters.pointer
        try check(snd_pcm_hw_params_any(handle, hardware), "any configuration")
        try check(
            snd_pcm_hw_params_set_access(handle, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), "interleaved samples")

        let offers = { (rate: Int) in snd_pcm_hw_params_test_rate(handle, hardware, CUnsignedInt(rate), 0) == 0 }
        let wanted = request.sampleRateHertz.map { [$0] } ?? preferredRatesHertz
        try check(snd_pcm_hw_params_set_rate_resample(handle, hardware, 0), "its own rates")
        var rate = wanted.first(where: offers)
        let isResampled = rate == nil
        if rate == nil {
            try check(snd_pcm_hw_params_any(handle, hardware), "any configuration")
            try check(
                snd_pcm_hw_params_set_access(handle, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), "interleaved samples")
            rate = wanted.first(where: offers)
        }
        guard let rate else {
            try check(-EINVAL, wanted.map(String.init).joined(separator: " or ") + " Hz")
            fatalError("unreachable: -EINVAL is an error")
        }
        try check(snd_pcm_hw_params_set_rate(handle, hardware, CUnsignedInt(rate), 0), "\(rate) Hz")

        let encodings = request.encoding.map { [$0] } ?? DeviceEncoding.allCases
        let encoding = encodings.first { snd_pcm_hw_params_test_format(handle, hardware, $0.alsaFormat) == 0 }
        let chosen = encoding ?? encodings[0]
        try check(
            snd_pcm_hw_params_set_format(handle, hardware, chosen.alsaFormat),
            encodings.map(\.rawValue).joined(separator: " or "))

        let counts = request.channelCount.map { [$0] } ?? Array(DeviceRequest.validChannelCounts)
        let count = counts.first { snd_pcm_hw_params_test_channels(handle, hardware, CUnsignedInt($0)) == 0 }
        let channels = count ?? counts[0]
        try check(
            snd_pcm_hw_params_set_channels(handle, hardware, CUnsignedInt(channels)),
            counts.count == 1 ? "\(channels) channels" : "1 to \(counts.count) channels")

        var period = snd_pcm_uframes_t(request.periodSeconds * Double(rate))
        var buffer = snd_pcm_uframes_t(request.bufferSeconds * Double(rate))
        try check(snd_pcm_hw_params_set_period_size_near(handle, hardware, &period, nil), "a period of \(period)")
        try check(snd_pcm_hw_params_set_buffer_size_near(handle, hardware, &buffer), "a buffer of \(buffer)")
        let (code, said) = ALSAMessages.collecting { snd_pcm_hw_params(handle, hardware) }
        guard code >= 0 else { throw .alsa(Int(code), operation: "configure", device: name, said: said) }
        snd_pcm_hw_params_get_period_size(hardware, &period, nil)
        snd_pcm_hw_params_get_buffer_size(hardware, &buffer)
        try check(setThresholds(handle, period: period, buffer: buffer), "its thresholds")

        let path: DeviceFormat.Path =
            if snd_pcm_type(handle) == SND_PCM_TYPE_IOPLUG {
                .soundServer(hardwareRateHertz: RunningHardware.rateHertz(direction, expected: rate))
            } else {
                isResampled ? .resampledByALSA : .direct
            }
        return DeviceFormat(
            name: name, sampleRateHertz: rate, channelCount: channels, encoding: chosen,
            periodFrameCount: Int(period), bufferFrameCount: Int(buffer), path: path)
    }

    /// Woken for every period, started by hand, stopped when the buffer has run over or dry.
    private static func setThresholds(
        _ handle: OpaquePointer, period: snd_pcm_uframes_t, buffer: snd_pcm_uframes_t
    ) -> CInt {
        var software: OpaquePointer?
        snd_pcm_sw_params_malloc(&software)
        defer { snd_pcm_sw_params_free(software) }
        for code in [
            snd_pcm_sw_params_current(handle, software),
            snd_pcm_sw_params_set_avail_min(handle, software, period),
            // More than the buffer ever holds: writing alone does not start it.
            snd_pcm_sw_params_set_start_threshold(handle, software, buffer + 1),
            snd_pcm_sw_params_set_stop_threshold(handle, software, buffer),
            snd_pcm_sw_params(handle, software),
        ] where code < 0 {
            return code
        }
        return 0
    }
}

/// The owner of an ALSA hardware parameter space.
final class HardwareParameters {
    let pointer: OpaquePointer

    init() {
        var pointer: OpaquePointer?
        snd_pcm_hw_params_malloc(&pointer)
        guard let pointer else { fatalError("out of memory") }
        self.pointer = pointer
    }

    deinit {
        snd_pcm_hw_params_free(pointer)
    }
}
