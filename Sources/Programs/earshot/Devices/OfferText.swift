import EarshotAudio

/// A device's offer in words.
enum OfferText {
    /// One line: kind, rates, channels, encodings.
    static func summary(_ offer: DeviceOffer) -> String {
        [kind(offer.kind), rates(offer), channels(offer.channelCounts), encodings(offer)].joined(separator: ", ")
    }

    private static func kind(_ kind: DeviceKind) -> String {
        switch kind {
        case .hardware: "sound card"
        case .shared: "shared sound card"
        case .converter: "converter"
        case .resampler: "resampler"
        case .soundServer: "sound server"
        case .file: "file"
        case .null: "null"
        }
    }

    private static func rates(_ offer: DeviceOffer) -> String {
        switch offer.ratesHertz.count {
        case DeviceOffer.usualRatesHertz.count: "any rate"
        case 0: range(offer.rateRangeHertz, unit: "Hz")
        default: offer.ratesHertz.map(String.init).joined(separator: " ") + " Hz"
        }
    }

    private static func channels(_ counts: ClosedRange<Int>) -> String {
        // No converter has more than 1,000 channels: this is a plugin that accepts any number.
        if counts.upperBound > 1_000 { return "\(counts.lowerBound) or more channels" }
        return counts == 1...1 ? "1 channel" : range(counts, unit: "channels")
    }

    private static func encodings(_ offer: DeviceOffer) -> String {
        let ours = offer.encodings.map(\.rawValue).joined(separator: " ")
        let others = offer.otherEncodings
        if others.isEmpty { return ours }
        return ours.isEmpty ? others.joined(separator: " ") : "\(ours) and \(others.count) more"
    }

    private static func range(_ values: ClosedRange<Int>, unit: String) -> String {
        values.lowerBound == values.upperBound
            ? "\(values.lowerBound) \(unit)" : "\(values.lowerBound) to \(values.upperBound) \(unit)"
    }
}
