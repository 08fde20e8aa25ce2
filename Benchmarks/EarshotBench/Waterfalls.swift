import ArgumentParser
import EarshotChannel
import EarshotDrawing
import EarshotLoopback
import EarshotModem
import Foundation

/// Draws curves of frames decoded over SNR, with the theoretical bound.
struct WaterfallsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waterfalls", abstract: "Draw curves of frames decoded over SNR, with the theoretical bound.")

    @Option(help: "Trials a point.")
    var trials = 1_000

    @Option(help: "Seed of the first trial.")
    var seed: UInt64 = 1_000_003

    @Option(help: "The folder for the pictures.")
    var pictures = "docs/benchmarks"

    func run() throws {
        var report = Report(
            title: "Waterfalls", command: "earshot-bench waterfalls --trials \(trials) --seed \(seed)")
        try measureWaterfalls(&report, trialCount: trials, seed: seed, pictures: Pictures(folder: pictures))
    }
}

func measureWaterfalls(_ report: inout Report, trialCount: Int, seed: UInt64, pictures: Pictures) throws {
    let inNoise = try Profile.all.map { try waterfall($0, .whiteNoise, trialCount: trialCount, seed: seed) }
    let footnote =
        "8-byte tokens, up to \(trialCount) trials a point, seed \(seed), 95 % intervals. SNR: a sine of the frame's peak over "
        + "the noise in 1,500 Hz. Bounds: the normal approximation for 88 bits in 44 tones, place known; within 0.2 dB."
    try pictures.save(
        CurveChart(
            title: "Tokens decoded in white noise",
            subtitle:
                "all profiles on; dashed: the finite-length bounds by energies alone (right) and with known phases (left)",
            footnote: footnote, inNoise
        ).document(), "waterfall", alternative: "tokens decoded over SNR in white noise", &report)
    report.add(
        "\n| profile | 50 % at | 90 % at | Eb/N0 at 90 % | bound by energies, 90 % at | with known phases | gap to it |\n"
            + "|---|---|---|---|---|---|---|")
    for curve in inNoise {
        guard let half = curve.crossing(at: 0.5)?.snrDecibels, let most = curve.crossing(at: 0.9)?.snrDecibels,
            let bound = curve.boundDecibels(share: 0.9),
            let coherent = curve.boundDecibels(share: 0.9, coherent: true)
        else { continue }
        report.add(
            "| `\(curve.scene.profile.name)` | \(decimal(half, 2)) dB | \(decimal(most, 2)) dB | "
                + "\(decimal(curve.scene.bitEnergyDecibels(snrDecibels: most), 1)) dB | \(decimal(bound, 2)) dB | "
                + "\(decimal(coherent, 2)) dB | \(decimal(most - coherent, 2)) dB |")
    }
    let channels = ["room-a", "room-b", "room-c", "hall", "walk", "pilot", "crowd-4"].compactMap(AirPreset.named)
    let elsewhere = try channels.map { try waterfall(.standard, $0, trialCount: trialCount / 2, seed: seed) }
    report.add("")
    try pictures.save(
        CurveChart(
            title: "Tokens decoded in rooms, in motion and in a crowd",
            subtitle: "profile standard; earshot simulate --list explains the channels",
            footnote: footnote.replacingOccurrences(of: "\(trialCount) trials", with: "\(trialCount / 2) trials"),
            elsewhere
        ).document(), "channels", alternative: "tokens decoded over SNR in several channels", &report)
}

private func waterfall(
    _ profile: Profile, _ preset: AirPreset, trialCount: Int, seed: UInt64
) throws -> SimulatedCurve {
    var scene = AirScene()
    scene.profile = profile
    scene.air = preset.air
    var order = order(of: scene, trialCount: trialCount, seed: seed)
    // A hundred trials suffice if everything or nothing decodes.
    (order.precision, order.minimumTrialCount) = (0.02, min(100, trialCount))
    let simulation = try Simulation(order)
    var curve = SimulatedCurve(scene, channel: preset.name)
    let scanned = SimulationScan.points(of: simulation) { _ in } ?? []
    // The top of the scan only shows that the curve stays there, and would squeeze the rest.
    curve.points = scanned.filter { $0 <= 20 }.compactMap { simulation.point(snrDecibels: $0) }
    return curve
}
