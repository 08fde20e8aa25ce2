package import EarshotModem
import RealModule

/// The verdict on a pair: the outlook of each profile, and the problems.
package struct PairVerdict: Sendable, Equatable {
    /// The outlook of each profile, shortest symbols first; empty if no sweep was heard.
    package var outlooks: [ProfileOutlook]
    /// The problems, the gravest first.
    package var problems: [PairProblem]

    /// From this level on, in dBFS, the noise is called loud; below it, the signal is called weak. A rule of thumb: the
    /// hiss of a microphone in 1,500 Hz is well below.
    static let loudNoiseDecibels = -60.0

    /// Unevenness is called a problem if it costs more than this, and then no profile works with echo; a large room's costs 1 to 2 dB.
    static let maximumUnevennessDecibels = 3.0

    /// The verdict on a measurement, for tokens played at a level in dBFS.
    package init(_ report: PairReport, tokenLevelDecibels: Double, profiles: [Profile] = Profile.all) {
        outlooks = profiles.map {
            ProfileOutlook($0, report: report, tokenLevelDecibels: tokenLevelDecibels)
        }
        let lostTones = outlooks.map {
            PairProblem.LostTones(profileName: $0.profileName, count: $0.lostToneCount, toneCount: $0.toneCount)
        }
        problems = []
        // For the default profile, because it is used if no other is named.
        let effective = report.effectiveSNRDecibels(sentLevelDecibels: tokenLevelDecibels)
        if let needed = NeededSNR.of(.standard, lostToneShare: 0) {
            let missing = needed.noiseDecibels + ProfileOutlook.neededMarginDecibels - effective
            if missing > 0, report.noiseLevelDecibels > PairVerdict.loudNoiseDecibels {
                problems.append(.noisy(noiseLevelDecibels: report.noiseLevelDecibels, missingDecibels: missing))
            } else if missing > 0 {
                problems.append(
                    .tooQuiet(receivedLevelDecibels: report.receivedLevelDecibels, missingDecibels: missing))
            }
        }
        let band = Profile.standard.lowestHertz..<Profile.standard.highestHertz
        if let cutOff = report.cutOffHertz, band.contains(cutOff) {
            problems.append(.cutOff(hertz: cutOff, lostTones: lostTones))
        } else if let cutOff = report.cutOffHertz, cutOff < band.lowerBound, !problems.isEmpty {
            problems.append(.cutOff(hertz: cutOff, lostTones: lostTones))
        } else if report.band.unevennessDecibels > PairVerdict.maximumUnevennessDecibels {
            problems.append(
                .uneven(
                    rippleDecibels: report.band.rippleDecibels, worstHertz: report.band.worstHertz,
                    lostTones: lostTones))
        }
        if report.clipping.isAudible {
            problems.append(
                .clipping(
                    fullScaleShare: report.clipping.fullScaleShare, flatTopShare: report.clipping.flatTopShare))
        }
    }

    /// The verdict on a recording in which `SweepDetector` found no sweep.
    package init(nothingHeardIn recording: [Float], sweep: Sweep) {
        outlooks = []
        let count = PowerDensity.segmentCount(sampleRateHertz: sweep.sampleRateHertz)
        guard recording.contains(where: { $0.usable != 0 }) else {
            problems = [.silence]
            return
        }
        guard recording.count >= count else {
            problems = [.notHeard(levelDecibels: -.infinity)]
            return
        }
        let density = PowerDensity(recording, in: recording.indices, sampleRateHertz: sweep.sampleRateHertz)
        let measured = sweep.measuredHertz
        let width = measured.upperBound - measured.lowerBound
        let power = 4 * density.mean(measured.lowerBound..<measured.upperBound) * width / Double(sweep.sampleRateHertz)
        problems = [.notHeard(levelDecibels: 10 * .log10(max(power, PairMeasurement.minimumPower)))]
    }

    /// The verdict in one sentence.
    package var summary: String {
        guard !outlooks.isEmpty else { return "Nothing was heard: no profile will work." }
        func names(_ expectation: ProfileOutlook.Expectation) -> [String] {
            outlooks.filter { $0.expectation == expectation }.map(\.profileName)
        }
        let parts = [
            (names(.works), "will work"), (names(.worksWithoutEcho), "will work where there is little echo"),
            (names(.fails), "will not work"),
        ].compactMap { names, what in names.isEmpty ? nil : "\(PairVerdict.list(names)) \(what)" }
        return parts.joined(separator: ", ") + "."
    }

    /// a; a and b; a, b and c.
    private static func list(_ names: [String]) -> String {
        names.count < 2
            ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
    }
}
