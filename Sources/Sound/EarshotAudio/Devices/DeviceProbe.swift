import CALSA
import EarshotSystem

/// Asks PCMs for their capabilities by opening them. It plays nothing, records nothing and sets nothing.
public enum DeviceProbe {
    /// A PCM in one direction.
    public struct Subject: Sendable, Equatable {
        /// The name of the PCM.
        public var name: String
        /// The direction to probe.
        public var direction: DeviceDirection

        /// Creates a subject from a PCM's name and a direction.
        public init(_ name: String, _ direction: DeviceDirection) {
            self.name = name
            self.direction = direction
        }
    }

    /// The time after which the probe asks the next PCM while the last has not answered. Not at once, because a sound
    /// card that is open under one of its names is busy under the others.
    private static let overlapSeconds = 0.3
    /// The maximum number of threads that may wait for an answer.
    private static let maximumWaitingCount = 16

    /// Probes each subject.
    /// - Parameters:
    ///   - subjects: the devices and directions to probe.
    ///   - patienceSeconds: the maximum time for each, in seconds. The whole call takes only a few seconds more than
    ///     this, for any number of subjects that do not answer.
    /// - Returns: for each subject in turn, its capabilities or the reason for the failure. A subject that does not
    ///   answer in time has `vanished`.
    public static func offers(of subjects: [Subject], patienceSeconds: Double = 3) -> [Result<DeviceOffer, DeviceError>]
    {
        typealias Asked = (inquiry: Inquiry<Result<DeviceOffer, DeviceError>>, begin: Int64)
        var asked: [Asked?] = []
        var waiting: [Asked] = []
        for subject in subjects {
            waiting.removeAll { $0.inquiry.answer(within: 0) != nil }
            guard waiting.count < maximumWaitingCount else {
                asked.append(nil)
                continue
            }
            let inquiry = Inquiry { () -> Result<DeviceOffer, DeviceError> in
                do throws(DeviceError) {
                    return .success(try offer(of: subject))
                } catch {
                    return .failure(error)
                }
            }
            let question = (inquiry, MonotonicTime.nanoseconds)
            asked.append(question)
            if inquiry.answer(within: min(overlapSeconds, patienceSeconds)) == nil { waiting.append(question) }
        }
        return zip(subjects, asked).map { subject, asked in
            guard let (inquiry, begin) = asked else { return .failure(.unasked(subject.name, maximumWaitingCount)) }
            let passed = Double(MonotonicTime.nanoseconds - begin) / 1e9
            return inquiry.answer(within: patienceSeconds - passed)
                ?? .failure(.unanswered("open", subject.name, seconds: patienceSeconds))
        }
    }

    /// Opens, asks, closes; may hang.
    private static func offer(of subject: Subject) throws(DeviceError) -> DeviceOffer {
        let handle = try PCM.open(subject.name, subject.direction)
        let (result, _) = ALSAMessages.collecting { () -> Result<DeviceOffer, DeviceError> in
            defer { snd_pcm_close(handle) }
            do throws(DeviceError) {
                return .success(try offer(of: handle, subject))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func offer(of handle: OpaquePointer, _ subject: Subject) throws(DeviceError) -> DeviceOffer {
        func check(_ code: CInt) throws(DeviceError) {
            if code < 0 { throw .alsa(Int(code), operation: "configure", device: subject.name) }
        }
        let parameters = HardwareParameters()
        let hardware = parameters.pointer
        try check(snd_pcm_hw_params_any(handle, hardware))
        try check(snd_pcm_hw_params_set_access(handle, hardware, SND_PCM_ACCESS_RW_INTERLEAVED))
        try check(snd_pcm_hw_params_set_rate_resample(handle, hardware, 0))

        let rates = DeviceOffer.usualRatesHertz.filter {
            snd_pcm_hw_params_test_rate(handle, hardware, CUnsignedInt($0), 0) == 0
        }
        var (lowest, highest): (CUnsignedInt, CUnsignedInt) = (0, 0)
        // A side above zero puts the bound above the number; below zero, below it.
        var (lowestSide, highestSide): (CInt, CInt) = (0, 0)
        try check(snd_pcm_hw_params_get_rate_min(hardware, &lowest, &lowestSide))
        try check(snd_pcm_hw_params_get_rate_max(hardware, &highest, &highestSide))
        let lowestHertz = Int(lowest) + (lowestSide > 0 ? 1 : 0)
        let highestHertz = Int(highest) - (highestSide < 0 ? 1 : 0)
        var (fewest, most): (CUnsignedInt, CUnsignedInt) = (0, 0)
        try check(snd_pcm_hw_params_get_channels_min(hardware, &fewest))
        try check(snd_pcm_hw_params_get_channels_max(hardware, &most))

        let ours = DeviceEncoding.allCases.filter {
            snd_pcm_hw_params_test_format(handle, hardware, $0.alsaFormat) == 0
        }
        let others = (0...SND_PCM_FORMAT_LAST.rawValue).map { snd_pcm_format_t($0) }.filter { format in
            !ours.contains { $0.alsaFormat == format } && snd_pcm_hw_params_test_format(handle, hardware, format) == 0
        }
        let kind = DeviceKind(snd_pcm_type(handle))
        let choice = choice(handle, hardware)
        return DeviceOffer(
            kind: kind, cardNumber: cardNumber(handle), ratesHertz: rates,
            rateRangeHertz: lowestHertz...max(lowestHertz, highestHertz), encodings: ours,
            otherEncodings: others.compactMap { snd_pcm_format_name($0).map { String(cString: $0) } },
            channelCounts: Int(fewest)...Int(max(fewest, most)), choice: choice,
            hardwareRateHertz: kind != .soundServer
                ? nil : RunningHardware.rateHertz(subject.direction, expected: choice?.sampleRateHertz ?? 48_000))
    }

    /// The format that `PCM` would choose, found in the same order by narrowing the same space. Consumes `hardware`.
    private static func choice(_ handle: OpaquePointer, _ hardware: OpaquePointer) -> DeviceOffer.Choice? {
        guard
            let rate = PCM.preferredRatesHertz.first(where: {
                snd_pcm_hw_params_set_rate(handle, hardware, CUnsignedInt($0), 0) == 0
            }),
            let encoding = DeviceEncoding.allCases.first(where: {
                snd_pcm_hw_params_set_format(handle, hardware, $0.alsaFormat) == 0
            }),
            let channelCount = DeviceRequest.validChannelCounts.first(where: {
                snd_pcm_hw_params_set_channels(handle, hardware, CUnsignedInt($0)) == 0
            })
        else { return nil }
        return DeviceOffer.Choice(sampleRateHertz: rate, encoding: encoding, channelCount: channelCount)
    }

    private static func cardNumber(_ handle: OpaquePointer) -> Int? {
        var information: OpaquePointer?
        snd_pcm_info_malloc(&information)
        defer { snd_pcm_info_free(information) }
        guard snd_pcm_info(handle, information) >= 0 else { return nil }
        let number = snd_pcm_info_get_card(information)
        return number >= 0 ? Int(number) : nil
    }
}
