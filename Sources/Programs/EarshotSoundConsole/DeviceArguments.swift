package import ArgumentParser
package import EarshotAudio
import EarshotConsole

extension DeviceRequest {
    /// Makes a request from options of the command line.
    /// - Throws: `ValidationError` if the name is empty, or if the rate or the channel count is out of range.
    package static func argument(
        device: String, option: String = "--device", rate: Int?, channels: Int?, periodSeconds: Double = 0.04,
        bufferSeconds: Double = 0.5
    ) throws(ValidationError) -> DeviceRequest {
        if device.isEmpty || device.utf8.contains(0) {
            throw ValidationError(
                "\(option): name an ALSA PCM, such as default or hw:1. 'earshot devices' lists them.")
        }
        if let rate, !validSampleRatesHertz.contains(rate) {
            throw ValidationError(
                "--rate \(rate): a device runs at \(validSampleRatesHertz.lowerBound) to "
                    + "\(validSampleRatesHertz.upperBound) Hz here; a lower rate has no room for 20 kHz.")
        }
        if let channels, !validChannelCounts.contains(channels) {
            throw ValidationError(
                "--channels \(channels): give \(validChannelCounts.lowerBound) to \(validChannelCounts.upperBound).")
        }
        return DeviceRequest(
            device, sampleRateHertz: rate, channelCount: channels, periodSeconds: periodSeconds,
            bufferSeconds: bufferSeconds)
    }
}

extension DeviceFormat {
    /// One line for the user: `air_in: 48000 Hz, 1 channel, FLOAT_LE, through a sound server`.
    package var summary: String {
        let way =
            switch path {
            case .direct: ""
            case .resampledByALSA: ", resampled by ALSA"
            case .soundServer: ", through a sound server"
            }
        let channels = channelCount == 1 ? "1 channel" : "\(channelCount) channels"
        return "\(name.escapedForTerminal): \(sampleRateHertz) Hz, \(channels), \(encoding.rawValue)\(way)"
    }
}
