package import ArgumentParser
package import EarshotAudio

extension DeviceRequest {
    /// A request from the command line; what it cannot mean is the command line's error.
    package static func argument(
        device: String, rate: Int?, channels: Int?, periodSeconds: Double = 0.04, bufferSeconds: Double = 0.5
    ) throws(ValidationError) -> DeviceRequest {
        if device.isEmpty || device.utf8.contains(0) {
            throw ValidationError(
                "--device: the name of an ALSA PCM, such as default or hw:1. 'earshot devices' lists them.")
        }
        if let rate, !validSampleRatesHertz.contains(rate) {
            throw ValidationError(
                "--rate \(rate): devices run at \(validSampleRatesHertz.lowerBound) to "
                    + "\(validSampleRatesHertz.upperBound) Hz here; below that there is no room for 20 kHz.")
        }
        if let channels, !validChannelCounts.contains(channels) {
            throw ValidationError(
                "--channels \(channels): \(validChannelCounts.lowerBound) to \(validChannelCounts.upperBound).")
        }
        return DeviceRequest(
            device, sampleRateHertz: rate, channelCount: channels, periodSeconds: periodSeconds,
            bufferSeconds: bufferSeconds)
    }
}

extension DeviceFormat {
    /// For people: `air_in: 48000 Hz, 1 channel, FLOAT_LE, through a sound server`.
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
