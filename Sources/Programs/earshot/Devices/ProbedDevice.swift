import EarshotAudio
import EarshotConsole
import EarshotSoundConsole

/// A PCM in one direction, and the result of probing it.
struct ProbedDevice {
    let name: String
    let description: String
    let direction: DeviceDirection
    let outcome: Result<DeviceOffer, DeviceError>

    /// Probes all devices in all directions wanted; sorted by direction, then in the order given.
    static func probe(_ devices: [ListedDevice], _ wanted: [DeviceDirection]) -> [ProbedDevice] {
        let pairs = wanted.flatMap { direction in
            devices.filter { $0.directions.contains(direction) }.map { ($0, direction) }
        }
        let outcomes = DeviceProbe.offers(of: pairs.map { DeviceProbe.Subject($0.name, $1) })
        return zip(pairs, outcomes).map { pair, outcome in
            ProbedDevice(
                name: pair.0.name, description: pair.0.description, direction: pair.1, outcome: outcome)
        }
    }

    /// Nil if the device could not be probed.
    var verdict: BandAnswer.Verdict? {
        if case .success(let offer) = outcome { offer.canCarryBand.verdict } else { nil }
    }

    var isUsable: Bool { verdict == .yes || verdict == .likely }
}

extension ProbedDevice {
    /// The line of `--json`; the command's help explains its keys.
    var json: JSONLine {
        var line = JSONLine()
        line.add("name", name)
        line.add("direction", direction.rawValue)
        line.add("description", description)
        line.add("band", verdict?.rawValue ?? "unknown")
        switch outcome {
        case .failure(let error):
            line.add("reason", error.detail)
            line.add("error", error.kind.rawValue)
            line.add("advice", error.advice)
        case .success(let offer):
            line.add("reason", offer.canCarryBand.reason)
            if let warning = offer.canCarryBand.warning { line.add("warning", warning) }
            line.add("kind", offer.kind.rawValue)
            if let card = offer.cardNumber { line.add("card", card) }
            if let choice = offer.choice {
                line.add("rate_hz", choice.sampleRateHertz)
                line.add("encoding", choice.encoding.rawValue)
                line.add("channels", choice.channelCount)
            }
            line.add("rates_hz", offer.ratesHertz)
            line.add("lowest_rate_hz", offer.rateRangeHertz.lowerBound)
            line.add("highest_rate_hz", offer.rateRangeHertz.upperBound)
            line.add("encodings", offer.encodings.map(\.rawValue))
            line.add("other_encodings", offer.otherEncodings)
            line.add("fewest_channels", offer.channelCounts.lowerBound)
            line.add("most_channels", offer.channelCounts.upperBound)
            if let rate = offer.hardwareRateHertz { line.add("hardware_rate_hz", rate) }
        }
        return line
    }

    /// The text for the user: the answer and the name, and below them the device's offer and the reason. Lines break
    /// before `width` characters if they have a space there.
    func text(width: Int) -> String {
        let about = description.escapedForTerminal
        let title = name.escapedForTerminal + (about.isEmpty ? "" : ": \(about)")
        let margin = String(repeating: " ", count: 10)
        let mark = "  \(answer)".padded(to: margin.count)
        return zip([mark] + details.map { _ in margin }, [title] + details).map { first, text in
            WrappedText.wrap(text, width: width, first: first, margin: margin)
        }.joined(separator: "\n")
    }

    private var answer: String {
        switch outcome {
        case .success(let offer): offer.canCarryBand.verdict.rawValue
        case .failure(let error): error.kind == .busy ? "busy" : "no"
        }
    }

    private var details: [String] {
        switch outcome {
        case .failure(let error):
            // For the other errors, the advice would be to look at this list.
            let hasAdvice = [.busy, .notPermitted, .vanished].contains(error.kind)
            return [error.detail.escapedForTerminal] + (hasAdvice ? [error.advice.escapedForTerminal] : [])
        case .success(let offer):
            let answer = offer.canCarryBand
            let isSurprising = answer.verdict == .no || offer.hardwareRateHertz != nil
            return [OfferText.summary(offer)] + (isSurprising ? [answer.reason] : [])
                + (answer.warning.map { ["warning: \($0)"] } ?? [])
        }
    }
}
