import ArgumentParser
import EarshotCoding
import EarshotDiscovery
import EarshotModem
import EarshotSound
import EarshotTrials
import Foundation

/// Follows a crowd of devices that all begin at once.
struct CrowdCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crowd",
        abstract: "Follow a crowd of devices that begin at once, by a table of decoding.")

    @Option(help: "How devices hear: table, table-room or table-hard-room.")
    var ears = DiscoveryCommand.Ears.table

    @Option(help: "Devices.")
    var devices = 100

    @Option(help: "Seconds.")
    var seconds = 300.0

    @Option(help: "Seconds from line to line.")
    var every = 20.0

    @Option(help: "Seed of all random numbers.")
    var seed: UInt64 = 1_000

    func run() throws {
        guard let table = ears.table else { throw ValidationError("a crowd needs a table of decoding") }
        let timing = TalkTiming(.fast)
        var room = RoomSimulation(
            RoomPlan(deviceCount: devices, seed: seed), ears: TableEars(timing: timing, table: table, seed: seed))
        var report = Report(title: "Crowd", command: "earshot-bench crowd")
        report.add(
            "| s | pairs found | lost wrongly | n̂, quartiles | λ aimed at | q | P | on the air, share | talkers a slot |\n"
                + "|---|---|---|---|---|---|---|---|---|")
        var spoken = 0.0
        for time in stride(from: every, through: seconds, by: every) {
            room.run(untilSeconds: time)
            let findings = room.findings
            let policies = room.policies
            let found = findings.foundSeconds.reduce(0) { $0 + $1.count { $0 != nil } }
            let talked = findings.talkSeconds.reduce(0, +)
            let slots = every / timing.slotSeconds
            let cells = [
                decimal(time, 0), percent(Double(found) / Double(devices * (devices - 1))),
                "\(findings.falseLosses.count)", quartiles(policies.map(\.crowdCount), 0),
                quartiles(policies.map(\.talkersPerSlot), 1), quartiles(policies.map(\.sureness), 2),
                quartiles(policies.map { $0.periodSeconds / timing.slotSeconds }, 0),
                percent((talked - spoken) / every / Double(devices)),
                decimal((talked - spoken) / timing.tokenSeconds / slots, 1),
            ]
            report.add("| " + cells.joined(separator: " | ") + " |")
            spoken = talked
        }
    }

    private func quartiles(_ values: [Double], _ places: Int) -> String {
        let sorted = values.sorted()
        return [1, 2, 3].map { decimal(sorted[min(sorted.count - 1, $0 * sorted.count / 4)], places) }
            .joined(separator: " ")
    }
}
