import ArgumentParser
import Foundation

/// Measures `earshot decode` on recordings of 10 minutes: one file on one core, files on all cores, and two channels.
func measureProgram(_ report: inout Report, earshot: String, runs: Int, folder: URL) throws {
    let coreCount = ProcessInfo.processInfo.activeProcessorCount
    report.add(
        "`earshot decode`, the whole process. 10 minutes, 48 kHz, 16 bit, mono, all profiles on; median of \(runs) runs "
            + "(minimum–maximum), in multiples of real time.\n")
    report.add(
        "| recording | one core | \(coreCount) cores, \(2 * coreCount) files | peak memory, one file | tokens |\n"
            + "|---|---|---|---|---|")
    let path = folder.appendingPathComponent("recording.wav").path
    for traffic in Traffic.all {
        let sent = try traffic.write(path, seconds: 600)
        let one = try decode([path], earshot: earshot, jobs: 1, runs: runs)
        let all = try decode(
            [String](repeating: path, count: 2 * coreCount), earshot: earshot, jobs: coreCount, runs: runs)
        report.add(
            "| \(traffic.name) | \(range(one.processorSpeeds)) | \(range(all.wallSpeeds)) | "
                + "\(decimal(one.peakMegabytes, 0)) MB | \(one.tokenCount) of \(sent) |")
    }
    let traffic = Traffic.tokenEveryTenSeconds
    let sent = try traffic.write(path, seconds: 3_600)
    let hour = try decode([path], earshot: earshot, jobs: 1, runs: 1, seconds: 3_600)
    report.add(
        "| one hour, \(traffic.name) | \(decimal(hour.processorSpeeds[0], 0)) | | \(decimal(hour.peakMegabytes, 0)) MB | "
            + "\(hour.tokenCount) of \(sent) |")
    let stereoSent = try traffic.write(path, seconds: 600, channelCount: 2)
    let stereo = try decode([path], earshot: earshot, jobs: 1, runs: runs)
    report.add(
        "| two channels, \(traffic.name) | \(range(stereo.processorSpeeds)) | | \(decimal(stereo.peakMegabytes, 0)) MB | "
            + "\(stereo.tokenCount) of \(stereoSent) |\n")
}

private struct ProgramRuns {
    /// Seconds of sound over seconds of processor time, and over seconds of a wall clock.
    var processorSpeeds: [Double] = []
    var wallSpeeds: [Double] = []
    var peakMegabytes = 0.0
    var tokenCount = 0
}

private func decode(
    _ paths: [String], earshot: String, jobs: Int, runs: Int, seconds: Double = 600
) throws -> ProgramRuns {
    var result = ProgramRuns()
    for _ in 0..<runs {
        let start = wallSeconds()
        let child = try MeasuredProgram([earshot, "decode", "--jobs", "\(jobs)", "--json", "--quiet"] + paths)
        let sound = seconds * Double(paths.count)
        result.wallSpeeds.append(sound / (wallSeconds() - start))
        result.processorSpeeds.append(sound / child.seconds)
        result.peakMegabytes = max(result.peakMegabytes, child.peakMegabytes)
        result.tokenCount = child.lines.count
    }
    return result
}
