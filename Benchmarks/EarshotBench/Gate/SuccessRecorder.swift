import EarshotLoopback
import EarshotModem
import Foundation

/// Measures the curves and the points of a new reference.
struct SuccessRecorder {
    var seed: UInt64
    /// The number of trials at a step of a curve, and at a point.
    var curveTrialCount = 300
    var pointTrialCount = 3_000
    /// The loss that the gate must notice, in decibels.
    var lossDecibels = 0.7

    /// The SNR at which the search for a curve begins, and its steps; both in decibels.
    private static let airs: [(SuccessReference.Air, start: Double, step: Double)] =
        [(Profile.fast, -5.0), (.standard, -8), (.far, -11)].map {
            (SuccessReference.Air(profile: $0.name, room: nil), $1, 0.5)
        } + [
            (SuccessReference.Air(profile: "standard", room: "A"), -5, 1),
            (SuccessReference.Air(profile: "standard", room: "B"), -2, 1),
        ]
    /// The shares decoded at the points: where the curve is steepest, and where hardly any token fails.
    private static let places = [("knee", 0.55), ("inside", 0.98)]

    func record(command: String) throws -> SuccessReference {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withFullDate]
        var reference = SuccessReference(
            recorded: formatter.string(from: Date()), command: command, seed: seed, lossDecibels: lossDecibels,
            curves: [], points: [])
        for (air, start, step) in Self.airs {
            let curve = try recordCurve(air, start: start, step: step)
            reference.curves.append(curve)
            for (place, share) in Self.places {
                guard let exact = reference.snrDecibels(air, share: share) else {
                    say("\(air.title) never reaches \(share); no point \(place)")
                    continue
                }
                let snr = (10 * exact).rounded() / 10
                let point = SuccessReference.Point(
                    air: air, place: place, now: try measure(air, snr, pointTrialCount, "\(place) now"),
                    afterLoss: try measure(air, snr - lossDecibels, pointTrialCount, "\(place) after a loss"))
                reference.points.append(point)
                say(
                    "\(point.title): \(percent(point.now.share)), \(lossDecibels) dB lower "
                        + percent(point.afterLoss.share))
            }
        }
        return reference
    }

    /// Goes up from `start` until nearly all tokens decode, then down from it until nearly none do.
    private func recordCurve(_ air: SuccessReference.Air, start: Double, step: Double) throws -> SuccessReference.Curve
    {
        var shares: [SuccessReference.Share] = []
        let maximumStepCount = 24
        for index in 0..<maximumStepCount {
            shares.append(try measure(air, start + Double(index) * step, curveTrialCount, "curve"))
            if shares[shares.count - 1].share >= 0.995 { break }
        }
        for index in 1..<maximumStepCount {
            shares.insert(try measure(air, start - Double(index) * step, curveTrialCount, "curve"), at: 0)
            if shares[0].share < 0.02 { break }
        }
        say(
            "\(air.title): " + shares.map { "\(snrText($0.snrDecibels)) \(percent($0.share))" }.joined(separator: ", "))
        return SuccessReference.Curve(air: air, shares: shares)
    }

    private func measure(
        _ air: SuccessReference.Air, _ snr: Double, _ trialCount: Int, _ purpose: String
    ) throws -> SuccessReference.Share {
        let tally = try runTrials(
            try air.scene(snrDecibels: snr), trialCount: trialCount,
            seed: derivedSeed(seed, "\(purpose) \(air.title) \(snrText(snr))"))
        if tally.wrongCount + tally.duplicateCount > 0 {
            say(
                "\(air.title), \(snrText(snr)): \(tally.wrongCount) wrong and \(tally.duplicateCount) repeated of "
                    + "\(trialCount)")
        }
        return SuccessReference.Share(
            snrDecibels: snr, decodedCount: tally.decodedCount, trialCount: tally.trialCount)
    }

    /// Prints the text at once: a recording takes long.
    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
