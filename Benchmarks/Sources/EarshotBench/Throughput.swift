import ArgumentParser
import EarshotAudio
import EarshotChannel
import EarshotCoding
import EarshotModem
import Foundation

/// How fast recordings decode: the whole process, as the operating system accounts for it.
struct ThroughputCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "throughput", abstract: "Whole-process decoding of a 10-minute WAV, times real time.")

    @Option(help: "The earshot binary.")
    var earshot = defaultEarshotPath()

    @Option(help: "Runs; the median counts.")
    var runs = 7

    func run() throws {
        var report = Report(title: "Throughput", command: "earshot-bench throughput")
        try measureThroughput(&report, earshot: earshot, runs: runs)
    }
}

/// Beside the Benchmarks package, where `swift build -c release` puts it.
func defaultEarshotPath() -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(".build/release/earshot").path
}

func measureThroughput(_ report: inout Report, earshot: String, runs: Int) throws {
    guard FileManager.default.isExecutableFile(atPath: earshot) else {
        throw ValidationError("no earshot binary at \(earshot); run: swift build -c release --product earshot")
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("earshot-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    report.add(
        "10 minutes, 48 kHz, 16 bit, mono, all profiles on; `earshot decode`, one process on one core, user and system "
            + "time, median of \(runs) runs (least–most).\n")
    report.add("| recording | times real time | peak memory | tokens |\n|---|---|---|---|")
    for (name, interval) in [("noise", nil), ("a token every 10 s", 10.0), ("a token every 2 s", 2.0)] {
        let path = folder.appendingPathComponent("recording.wav").path
        let sent = try writeRecording(path, seconds: 600, tokenInterval: interval)
        var speeds: [Double] = []
        var memory = 0.0
        var found = 0
        for _ in 0..<runs {
            let result = try runChild([earshot, "decode", "--jobs", "1", "--json", "--quiet", path])
            speeds.append(600 / result.seconds)
            memory = result.peakMegabytes
            found = result.output.split(separator: "\n").count
        }
        speeds.sort()
        report.add(
            "| \(name) | **\(decimal(speeds[runs / 2], 0))** (\(decimal(speeds[0], 0))–\(decimal(speeds[runs - 1], 0))) | "
                + "\(decimal(memory, 0)) MB | \(found) of \(sent) |")
    }
    let path = folder.appendingPathComponent("hour.wav").path
    _ = try writeRecording(path, seconds: 3_600, tokenInterval: 10)
    let hour = try runChild([earshot, "decode", "--jobs", "1", "--json", "--quiet", path])
    report.add(
        "| one hour, a token every 10 s | \(decimal(3_600 / hour.seconds, 0)) | "
            + "\(decimal(hour.peakMegabytes, 0)) MB | \(hour.output.split(separator: "\n").count) of 360 |")
}

/// Noise, and every so often a token at 0 dB SNR in it.
/// - Returns: tokens in it.
private func writeRecording(_ path: String, seconds: Int, tokenInterval: Double?) throws -> Int {
    var noise = WhiteNoise(seed: 21)
    var writer = try WAVWriter(path: path, sampleRateHertz: 48_000, channelCount: 1, format: .s16)
    let token = try Transmitter(sampleRateHertz: 48_000).samples(Payload(hex: "0123456789abcdef"), amplitude: 0.01)
    let deviation = WhiteNoise.deviation(amplitude: 0.01, snrDecibels: 0, sampleRateHertz: 48_000)
    let chunkSeconds = Int(tokenInterval ?? 10)
    var count = 0
    for _ in 0..<seconds / chunkSeconds {
        var chunk = [Float](repeating: 0, count: 48_000 * chunkSeconds)
        if tokenInterval != nil {
            for index in token.indices {
                chunk[20_000 + index] = token[index]
            }
            count += 1
        }
        noise.add(to: &chunk, deviation: deviation)
        try writer.write(chunk)
    }
    try writer.finish()
    return count
}

struct ChildResult {
    var output: String
    var seconds: Double
    var peakMegabytes: Double
}

/// Runs a program to its end and reads what the operating system says of it.
func runChild(_ arguments: [String]) throws -> ChildResult {
    var pipeEnds: [Int32] = [0, 0]
    guard pipe(&pipeEnds) == 0 else { throw ValidationError("no pipe") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, pipeEnds[1], 1)
    posix_spawn_file_actions_addclose(&actions, pipeEnds[0])
    defer { posix_spawn_file_actions_destroy(&actions) }
    var child = pid_t()
    var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { argv.forEach { free($0) } }
    guard posix_spawn(&child, arguments[0], &actions, nil, &argv, environ) == 0 else {
        throw ValidationError("cannot start \(arguments[0])")
    }
    close(pipeEnds[1])
    let output = FileHandle(fileDescriptor: pipeEnds[0], closeOnDealloc: true).readDataToEndOfFile()
    var status: Int32 = 0
    var usage = rusage()
    wait4(child, &status, 0, &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
    return ChildResult(
        output: String(decoding: output, as: UTF8.self), seconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        peakMegabytes: Double(usage.ru_maxrss) / 1_024)
}
