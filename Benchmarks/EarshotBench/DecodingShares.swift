import ArgumentParser
import EarshotBasics
import EarshotChannel
import EarshotDiscovery
import EarshotModem
import EarshotSound
import EarshotTrials

/// Measures the share of tokens of one slot that a listener decodes, by the number of talkers: the source of `DecodingTable`.
///
/// Each trial has its own places, rooms, clocks and begins within the slot's spread, and four listeners.
struct DecodingSharesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decoding-shares",
        abstract: "Measure how many talkers of one slot decode together, in simulated air.")

    @Flag(help: "In the small room of `discovery --ears modem-room`, instead of free air.")
    var room = false

    @Option(help: "Talkers in a slot.")
    var talkers = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12]

    @Option(help: "Trials of each.")
    var trials = 25

    @Option(help: "Seed of the first trial.")
    var seed: UInt64 = 1

    @OptionGroup var options: RoomOptions

    private static let listenerCount = 4

    func run() throws {
        var report = Report(title: "Decoding shares", command: "earshot-bench decoding-shares")
        report.add("| talkers | decoded | seconds from the end of a token: median | 99 % |\n|---|---|---|---|")
        for count in talkers {
            let delays = try concurrently(trials, threadCount: options.threads) { index in
                try decodingSeconds(talkerCount: count, seed: seed + UInt64(index))
            }.flatMap(\.self).sorted()
            let share = Double(delays.count) / Double(trials * count * Self.listenerCount)
            let shown =
                delays.isEmpty
                ? " | " : [50, 99].map { decimal(delays[delays.count * $0 / 100], 2) }.joined(separator: " | ")
            report.add("| \(count) | \(percent(share)) | \(shown) |")
        }
    }

    /// For each token that a listener decoded, the seconds from its end until then.
    private func decodingSeconds(talkerCount: Int, seed: UInt64) throws -> [Double] {
        let plan = RoomPlan([RoomPlan.Device](repeating: .init(), count: talkerCount + Self.listenerCount), seed: seed)
        var ears = try ModemEars(
            plan, profile: try options.namedProfile, timing: try options.timing, air: .ofDiscovery(inRoom: room),
            snrDecibels: options.snr, sideMetres: 4)
        let allListen = [Bool](repeating: true, count: plan.devices.count)
        var generator = SeededGenerator(seed: seed)
        let begins = (0..<talkerCount).map { _ in 0.5 + ears.timing.spreadSeconds * Double(generator.uniform()) }
        // The decoder may still find a frame 0.9 s after its end.
        let end = 0.5 + ears.timing.slotSeconds + 1
        var delays: [Double] = []
        for tick in 1...Int(end * 100) {
            let now = Double(tick) / 100
            let begun = begins.indices.filter { begins[$0] < now && begins[$0] >= now - 0.01 }
                .map { RoomTalk(talker: $0, beginSeconds: begins[$0]) }
            let hearings = ears.advance(toSeconds: now, begun: begun, isPresent: allListen)
            delays += hearings.filter { $0.listener >= talkerCount && $0.talker < talkerCount }
                .map { now - begins[$0.talker] - ears.timing.tokenSeconds }
        }
        return delays
    }
}
