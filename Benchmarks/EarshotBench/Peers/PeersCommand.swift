import ArgumentParser
import Foundation

/// Measures other modems for the same purpose at the same tasks.
struct PeersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers", abstract: "Measure ggwave and minimodem beside Earshot.",
        discussion: """
            Benchmarks/Peers/install.sh installs both if they are missing: minimodem from Debian, ggwave from PyPI. Every \
            modem must first decode tokens in clear air; one that does not ends the command.
            """)

    @Option(help: "Trials a point; intervals need 35 or more.")
    var trials = 200

    @Option(help: "Seed of the first trial.")
    var seed: UInt64 = 1_000_003

    @Option(help: "Threads, each with its own receivers.")
    var threads = 2

    @Option(help: "Runs of every recording; the median counts.")
    var runs = 3

    @Option(help: "Measure only modems with this in their name; may be repeated.")
    var only: [String] = []

    @Flag(help: "Only check that every modem decodes tokens in clear air.")
    var quick = false

    @Option(help: "Write the measurements to this file.")
    var json: String?

    @Option(help: "The earshot binary.")
    var earshot = defaultEarshotPath()

    func validate() throws {
        guard trials >= 10, threads >= 1, runs >= 1 else {
            throw ValidationError("at least 10 trials a point, 1 thread and 1 run are needed")
        }
    }

    func run() throws {
        let measurement = PeerMeasurement(trialCount: trials, seed: seed, threadCount: threads, runs: runs)
        let modems = try installedModems(earshot: earshot).filter { modem in
            only.isEmpty || only.contains { modem.name.contains($0) }
        }
        guard !modems.isEmpty else { throw ValidationError("no modem is called \(only.joined(separator: " or "))") }
        if quick {
            for modem in modems {
                try measurement.check(modem)
                print("\(modem.name): works")
            }
            return
        }
        var report = Report(title: "Peers", command: "earshot-bench peers --trials \(trials) --seed \(seed)")
        let rows = try measurePeers(&report, modems, measurement)
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(rows).write(to: URL(fileURLWithPath: json))
        }
    }
}

/// Runs Benchmarks/Peers/install.sh, which installs the missing programs.
/// - Returns: the folder with ggwave_peer.
func installPeers() throws -> String {
    let project = URL(fileURLWithPath: defaultEarshotPath()).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    let folder = project.appendingPathComponent(".build/peers").path
    let installer = try ChildProcess([project.appendingPathComponent("Benchmarks/Peers/install.sh").path, folder])
    let said: [UInt8]
    do {
        said = try installer.finish(patienceSeconds: 1_800).output
    } catch {
        throw PeerError("ggwave and minimodem could not be installed: \(error)")
    }
    FileHandle.standardError.write(Data(said))
    return folder
}

/// Installs the missing modems and lists all.
func installedModems(earshot: String) throws -> [PeerModem] {
    // A peer that ends is an error with its own message.
    signal(SIGPIPE, SIG_IGN)
    let folder = try installPeers()
    guard FileManager.default.isExecutableFile(atPath: earshot) else {
        throw ValidationError("no earshot binary at \(earshot); run: swift build -c release --product earshot")
    }
    return EarshotPeer.modems(program: earshot) + GGWavePeer.modems(program: folder + "/ggwave_peer")
        + MinimodemPeer.modems
}

/// Measures `modems`, after checking that all of them work.
@discardableResult
func measurePeers(
    _ report: inout Report, _ modems: [PeerModem], _ measurement: PeerMeasurement
) throws -> [PeerRow] {
    for modem in modems {
        try measurement.check(modem)
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("earshot-bench-peers-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let noisePath = folder.appendingPathComponent("noise.wav").path
    try PeerCost.writeRecording(noisePath, [], seed: measurement.seed)
    let progress = Progress("peers", total: modems.count * PeerMeasurement.stageCount)
    var doneCount = 0
    let rows = try modems.map { modem in
        try measurement.measure(modem, noisePath: noisePath, folder: folder) {
            doneCount += 1
            progress.update(doneCount)
        }
    }
    report.addPeers(rows, measurement)
    return rows
}
