import ArgumentParser
import EarshotBenchmark
import Foundation

/// Measures `earshot decode` on recordings, on one core and on all, beside ggwave at the same files.
struct ProgramMeasurement {
    var earshot: String
    /// Benchmarks/Peers/ggwave_peer.cpp as a program; nil if it could not be made.
    var ggwave: String?
    var runs: Int
    var folder: URL

    private let coreCount = ProcessInfo.processInfo.activeProcessorCount

    init(earshot: String, ggwave: String?, runs: Int, folder: URL) {
        (self.earshot, self.ggwave, self.runs, self.folder) = (earshot, ggwave, runs, folder)
    }

    func measure(_ recordings: [Recording], _ report: inout Report) throws {
        report.add(
            """
            `earshot decode`, the whole process, all profiles on: user and system time of one core, the best of \
            \(runs) runs (the worst in brackets), in multiples of real time. 10 minutes, 48 kHz, 16 bit, mono, if \
            nothing else is said. *ggwave*: its program with all its modes on the same file, in turns with Earshot: as \
            delivered, for payloads of any length, and for a fixed length of 8 bytes, where it need not wait for \
            markers; *ratio* is Earshot's speed over the first. *\(coreCount) cores*: \(2 * coreCount) files at once, by a wall clock, \
            and how many times as fast as on one core.

            | recording | one core | ggwave | ratio | ggwave, fixed length | \(coreCount) cores | peak memory | tokens |
            |---|---|---|---|---|---|---|---|
            """)
        for recording in recordings {
            let path = folder.appendingPathComponent(recording.container.isFLAC ? "x.flac" : "x.wav").path
            let sent = try recording.traffic.write(path, seconds: recording.seconds, as: recording.container)
            var (own, variable, fixed) = (ProgramRuns(), ProgramRuns(), ProgramRuns())
            for _ in 0..<runs {
                try own.add(decode([path], jobs: 1), seconds: recording.seconds)
                if let ggwave, recording.container.isPlain {
                    func listen(payloadByteCount: Int) throws -> MeasuredProgram {
                        try MeasuredProgram([ggwave, "decode", "all", "\(payloadByteCount)", "0", "0", path])
                    }
                    try variable.add(listen(payloadByteCount: 0), seconds: recording.seconds)
                    try fixed.add(listen(payloadByteCount: PeerAir.tokenByteCount), seconds: recording.seconds)
                }
            }
            let hasPeer = !variable.speeds.isEmpty
            let cells = [
                recording.name, own.text, hasPeer ? variable.text : missing(recording),
                hasPeer ? decimal(own.best / variable.best, 2) : "", hasPeer ? fixed.text : missing(recording),
                recording.usesAllCores ? try allCores(path, recording) : "",
                "\(decimal(own.peakMegabytes, 0)) MB", "\(own.lineCount) of \(sent)",
            ]
            report.add("| \(cells.joined(separator: " | ")) |")
        }
        report.add("")
    }

    private func missing(_ recording: Recording) -> String {
        recording.container.isPlain ? "not available" : ""
    }

    private func decode(_ paths: [String], jobs: Int) throws -> MeasuredProgram {
        try MeasuredProgram([earshot, "decode", "--jobs", "\(jobs)", "--json", "--quiet"] + paths)
    }

    /// The speed on all cores, and over that of one core at the same files.
    private func allCores(_ path: String, _ recording: Recording) throws -> String {
        let paths = [String](repeating: path, count: 2 * coreCount)
        let sound = Double(recording.seconds * paths.count)
        var (one, all) = ([Double](), [Double]())
        for _ in 0..<runs {
            let start = wallSeconds()
            _ = try decode(paths, jobs: 1)
            let middle = wallSeconds()
            _ = try decode(paths, jobs: coreCount)
            one.append(sound / (middle - start))
            all.append(sound / (wallSeconds() - middle))
        }
        return "\(bestAndWorst(all)), \(decimal((all.max() ?? .nan) / (one.max() ?? .nan), 2)) ×"
    }
}

private struct ProgramRuns {
    /// Seconds of sound over seconds of processor time, of each run.
    private(set) var speeds: [Double] = []
    private(set) var peakMegabytes = 0.0
    private(set) var lineCount = 0

    mutating func add(_ program: MeasuredProgram, seconds: Int) {
        speeds.append(Double(seconds) / program.seconds)
        peakMegabytes = max(peakMegabytes, program.peakMegabytes)
        lineCount = program.lines.count
    }

    var best: Double { speeds.max() ?? .nan }
    var text: String { bestAndWorst(speeds) }
}
