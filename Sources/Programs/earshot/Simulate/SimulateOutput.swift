import EarshotBasics
import EarshotConsole
import EarshotDrawing
import EarshotLoopback
import EarshotModem
import EarshotSystem

/// Prints the curves during the measurement: one line for each point, as soon as it is known.
struct SimulateOutput {
    enum Form {
        case text, json, csv
    }

    let form: Form
    let progress: ProgressBar
    /// The recording that replaces the channel's noise.
    let noise: FilePath?

    func begin() {
        guard form == .csv else { return }
        write("profile,channel,snr_db,eb_n0_db,trials,sent,decoded,success,low,high,wrong,duplicates")
    }

    func add(_ point: SimulationPoint, _ curve: SimulatedCurve) {
        switch form {
        case .text:
            if curve.points.count == 1 { write(headline(curve)) }
            write(text(point, curve))
        case .json: write(json(point, curve))
        case .csv: write(csv(point, curve))
        }
    }

    func end(_ curve: SimulatedCurve, seed: Int, minimumShare: Double?, isLast: Bool) {
        switch form {
        case .text: write(summary(curve) + (isLast ? "" : "\n"))
        case .json: write(jsonSummary(curve, seed: seed, minimumShare: minimumShare))
        case .csv: break
        }
    }

    /// Names the point that failed, its share, and the command that repeats it.
    static func failure(
        _ point: SimulationPoint, _ curve: SimulatedCurve, minimumShare: Double, options: String
    ) -> String {
        let snr = DecimalText.short(point.snrDecibels)
        var text =
            "FAILED: \(curve.scene.profile.name) in \(curve.channel) at \(snr) dB decoded \(percent(point.decodedShare)) % "
            + "of \(point.tally.sentCount), \(percent(minimumShare)) % required"
        if point.tally.wrongCount > 0 { text += "; \(point.tally.wrongCount) wrong" }
        return text + ". Again: earshot simulate --profile \(curve.scene.profile.name) --channel \(curve.channel) "
            + "--snr \(snr) \(options)"
    }

    private func write(_ line: String) {
        progress.clear()
        StandardStream.output.print(line)
    }

    private static func percent(_ share: Double) -> String { DecimalText.text(100 * share, decimals: 1) }

    private func headline(_ curve: SimulatedCurve) -> String {
        let scene = curve.scene
        let seconds = scene.profile.frameSeconds(payloadByteCount: scene.payloadByteCount)
        let burst = scene.burstCount > 1 ? "\(scene.burstCount) times " : ""
        let place = curve.channel + (noise.map { " with the noise of \($0.escapedForTerminal)" } ?? "")
        return "\(scene.profile.name) in \(place), \(scene.payloadByteCount) bytes in "
            + "\(burst)\(DecimalText.text(seconds, decimals: 3)) s, \(scene.sampleRateHertz) Hz\n"
            + "     SNR    Eb/N0   decoded      95 %          of   wrong  twice"
    }

    private func text(_ point: SimulationPoint, _ curve: SimulatedCurve) -> String {
        let interval = point.interval
        let columns: [(String, Int)] = [
            ("\(DecimalText.text(point.snrDecibels, decimals: 1)) dB", 9),
            ("\(DecimalText.text(curve.scene.bitEnergyDecibels(snrDecibels: point.snrDecibels), decimals: 1)) dB", 9),
            ("\(Self.percent(point.decodedShare)) %", 10),
            ("\(Self.percent(interval.low))–\(Self.percent(interval.high))", 14),
            ("\(point.tally.sentCount)", 8), ("\(point.tally.wrongCount)", 8), ("\(point.tally.duplicateCount)", 7),
        ]
        return columns.map { text, width in String(repeating: " ", count: max(0, width - text.count)) + text }.joined()
    }

    private func json(_ point: SimulationPoint, _ curve: SimulatedCurve) -> String {
        var line = JSONLine()
        line.add("profile", curve.scene.profile.name)
        line.add("channel", curve.channel)
        if let noise { line.add("noise", noise.description) }
        line.add(short: "snr_db", point.snrDecibels)
        line.add("trials", point.tally.trialCount)
        line.add("success", point.decodedShare, decimals: 4)
        line.add("low", point.interval.low, decimals: 4)
        line.add("high", point.interval.high, decimals: 4)
        line.add("wrong", point.tally.wrongCount)
        line.add("duplicates", point.tally.duplicateCount)
        line.add("sent", point.tally.sentCount)
        line.add("decoded", point.tally.decodedCount)
        line.add("eb_n0_db", curve.scene.bitEnergyDecibels(snrDecibels: point.snrDecibels), decimals: 2)
        return line.text
    }

    private func csv(_ point: SimulationPoint, _ curve: SimulatedCurve) -> String {
        let tally = point.tally
        return [
            curve.scene.profile.name, curve.channel, DecimalText.short(point.snrDecibels),
            DecimalText.text(curve.scene.bitEnergyDecibels(snrDecibels: point.snrDecibels), decimals: 2),
            "\(tally.trialCount)",
            "\(tally.sentCount)", "\(tally.decodedCount)", DecimalText.text(point.decodedShare, decimals: 4),
            DecimalText.text(point.interval.low, decimals: 4), DecimalText.text(point.interval.high, decimals: 4),
            "\(tally.wrongCount)", "\(tally.duplicateCount)",
        ].joined(separator: ",")
    }

    private func summary(_ curve: SimulatedCurve) -> String {
        let half = curve.crossing(at: 0.5)
        let most = curve.crossing(at: 0.9)
        var text = "50 % \(text(half, curve)), 90 % \(text(most, curve))"
        if let bound = curve.boundDecibels(share: 0.9), let coherent = curve.boundDecibels(share: 0.9, coherent: true) {
            text +=
                "; the bounds of theory in white noise: 90 % at \(DecimalText.text(bound, decimals: 1)) dB by energies alone, "
                + "at \(DecimalText.text(coherent, decimals: 1)) dB with known phases"
        }
        return text
    }

    private func text(_ crossing: CurveCrossing?, _ curve: SimulatedCurve) -> String {
        switch crossing?.place {
        case .below(let decibels): return "at or below \(DecimalText.short(decibels)) dB"
        case .above(let decibels): return "not reached up to \(DecimalText.short(decibels)) dB"
        case .at, nil: break
        }
        guard let snr = crossing?.snrDecibels else { return "unknown" }
        return "at \(DecimalText.text(snr, decimals: 1)) dB "
            + "(Eb/N0 \(DecimalText.text(curve.scene.bitEnergyDecibels(snrDecibels: snr), decimals: 1)) dB)"
    }

    private func jsonSummary(_ curve: SimulatedCurve, seed: Int, minimumShare: Double?) -> String {
        var line = JSONLine()
        line.add("profile", curve.scene.profile.name)
        line.add("channel", curve.channel)
        if let noise { line.add("noise", noise.description) }
        line.add("seed", seed)
        line.add("points", curve.points.count)
        for (percent, share) in [("50", 0.5), ("90", 0.9)] {
            let crossing = curve.crossing(at: share)
            let snr = crossing?.snrDecibels ?? .nan
            line.add("snr_\(percent)_db", snr, decimals: 2)
            line.add("snr_\(percent)_low_db", crossing?.lowDecibels ?? .nan, decimals: 2)
            line.add("snr_\(percent)_high_db", crossing?.highDecibels ?? .nan, decimals: 2)
            line.add("eb_n0_\(percent)_db", curve.scene.bitEnergyDecibels(snrDecibels: snr), decimals: 2)
        }
        line.add("bound_90_db", curve.boundDecibels(share: 0.9) ?? .nan, decimals: 2)
        line.add("coherent_bound_90_db", curve.boundDecibels(share: 0.9, coherent: true) ?? .nan, decimals: 2)
        line.add("passed", minimumShare.map { curve.failures(minimumShare: $0).isEmpty } ?? true)
        return line.text
    }
}
