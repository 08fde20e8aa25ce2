package import EarshotModem
import RealModule

/// What a pair is good for, and what to change about it.
package struct PairVerdict: Sendable, Equatable {
    /// What to expect of each profile, shortest symbols first; empty where nothing was heard.
    package var outlooks: [ProfileOutlook]
    /// What is wrong, the gravest first.
    package var problems: [PairProblem]

    /// From this level on noise is called loud and not the signal weak. A rule of thumb: what a microphone hisses by itself in
    /// 1,500 Hz lies well below.
    static let loudNoiseDecibels = -60.0

    /// Ripple is called a problem if it costs more than this; a large room's costs 1 to 2 dB.
    static let largestRippleLossDecibels = 3.0

    /// The verdict on a measurement, for tokens played at a level in dBFS.
    package init(_ report: PairReport, tokenLevelDecibels: Double, profiles: [Profile] = Profile.all) {
        outlooks = profiles.map {
            ProfileOutlook($0, report: report, tokenLevelDecibels: tokenLevelDecibels)
        }
        let lostTones = outlooks.map {
            PairProblem.LostTones(profileName: $0.profileName, count: $0.lostToneCount, toneCount: $0.toneCount)
        }
        problems = []
        // Asked of the default profile, because that is what is used if nothing else is said.
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
        let band = Double(Profile.standard.lowestHertz)..<Double(Profile.standard.highestHertz)
        let lossDecibels = report.band.meanDecibels - report.band.effectiveDecibels
        if let cutOff = report.cutOffHertz, band.contains(cutOff) {
            problems.append(.cutOff(hertz: cutOff, lostTones: lostTones))
        } else if let cutOff = report.cutOffHertz, cutOff < band.lowerBound, !problems.isEmpty {
            problems.append(.cutOff(hertz: cutOff, lostTones: lostTones))
        } else if lossDecibels > PairVerdict.largestRippleLossDecibels {
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

    /// The verdict where `SweepDetector` found no sweep in a recording.
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
        problems = [.notHeard(levelDecibels: 10 * .log10(max(power, PairMeasurement.leastPower)))]
    }

    /// All of it in a sentence.
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
