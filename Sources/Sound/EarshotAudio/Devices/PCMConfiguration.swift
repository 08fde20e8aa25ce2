import CALSA
import Glibc

extension PCM {
    /// Chooses, in this order: a rate without resampling, the encoding that loses least, and the minimum channel count.
    static func configure(_ handle: OpaquePointer, _ request: DeviceRequest, _ direction: Direction)
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

    /// Wakes for every period, needs an explicit start, and stops when the buffer has run over or dry.
    private static func setThresholds(
        _ handle: OpaquePointer, period: snd_pcm_uframes_t, buffer: snd_pcm_uframes_t
    ) -> CInt {
        var software: OpaquePointer?
        snd_pcm_sw_params_malloc(&software)
        defer { snd_pcm_sw_params_free(software) }
        for code in [
            snd_pcm_sw_params_current(handle, software),
            snd_pcm_sw_params_set_avail_min(handle, software, period),
            // The threshold exceeds the buffer size, so that writing alone does not start the stream.
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
