import ArgumentParser
import EarshotChannel
import EarshotDiscovery
import EarshotModem
import EarshotSound
import EarshotTrials

/// Measures the time that the devices in a room need to find each other, in simulated time.
struct DiscoveryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discovery", abstract: "Measure the seconds until devices in a room have found each other.")

    enum Ears: String, ExpressibleByArgument, CaseIterable {
        case table, tableRoom = "table-room", tableHardRoom = "table-hard-room", modem, modemRoom = "modem-room"

        /// The table; nil for the modem.
        var table: DecodingTable? {
            switch self {
            case .table: .freeAir
            case .tableRoom: .smallRoom
            case .tableHardRoom: .hardRoom
            case .modem, .modemRoom: nil
            }
        }
    }

    @Option(help: "How devices hear: by a table of decoding, or with the modem in simulated air.")
    var ears = Ears.modem

    @Option(help: "Devices in the room.")
    var devices: [Int] = [2, 5, 10, 20]

    @Option(help: "Runs of each size; a third as many for latecomers, leavers and scanners, an eighth for ten minutes.")
    var runs = 21

    @Option(help: "Seed of the first run.")
    var seed: UInt64 = 1_000

    @OptionGroup var options: RoomOptions

    @Option(help: "Give up after so many seconds.")
    var limit = 120.0

    @Option(help: "Talkers in a slot that the policy aims for.")
    var together = TalkLimits().talkersPerSlot

    @Flag(help: "Also measure latecomers, leavers, devices that only scan, and false losses.")
    var everything = false

    func run() throws {
        var report = Report(title: "Discovery", command: "earshot-bench discovery --ears \(ears.rawValue)")
        try measure(&report)
    }

    /// Adds the tables that the options request.
    func measure(_ report: inout Report) throws {
        report.add(
            "| devices | runs | median | 90 % of runs | all runs | seconds on the air, share |\n|---|---|---|---|---|---|"
        )
        for count in devices {
            let plans = (0..<runs).map { RoomPlan(deviceCount: count, seed: seed + UInt64($0)) }
            let found = try times(of: plans, from: { _ in 0 }) { findings, _ in findings.seconds(share: 0.9) }
            report.add("| \(count) | \(text(found)) |")
        }
        if everything { try addTheRest(&report) }
    }

    private func addTheRest(_ report: inout Report) throws {
        report.add(
            "\n| with 10 others | runs | median | 90 % of runs | all runs | seconds on the air, share |\n|---|---|---|---|---|---|"
        )
        let present = [RoomPlan.Device](repeating: .init(), count: 10)
        func plans(_ last: (Int) -> RoomPlan.Device) -> [RoomPlan] {
            (0..<(runs + 2) / 3).map { RoomPlan(present + [last($0)], seed: seed + UInt64($0)) }
        }
        let late = plans { RoomPlan.Device(arrivalSeconds: 60 + 0.31 * Double($0)) }
        let known = try times(of: late, from: { $0.arrivalSeconds }) { findings, begin in
            findings.seconds(share: 0.9) { talker, _ in talker == 10 }.map { $0 - begin }
        }
        report.add("| a latecomer is known to 90 % | \(text(known)) |")
        let scanning = plans { RoomPlan.Device(mode: .scan, arrivalSeconds: 60 + 0.31 * Double($0)) }
        let heard = try times(of: scanning, from: { $0.arrivalSeconds }) { findings, begin in
            findings.seconds(share: 1) { _, listener in listener == 10 }.map { $0 - begin }
        }
        report.add("| a device that only scans hears all | \(text(heard)) |")
        let leaving = plans { RoomPlan.Device(departureSeconds: 120 + 0.31 * Double($0)) }
        let lost = try times(of: leaving, from: { $0.departureSeconds }) { findings, _ in
            let lost = findings.lostSeconds[10][..<10].compactMap(\.self)
            return lost.count == 10 ? lost.max().map { $0 - findings.lastTalkEndSeconds[10] } : nil
        }
        report.add("| a leaver is lost by all after its last token | \(text(lost)) |")
        let calm = (0..<max(1, runs / 8)).map { RoomPlan(present, seed: seed + UInt64($0)) }
        let losses = try concurrently(calm.count, threadCount: options.threads) { index in
            try simulate(calm[index], untilSeconds: 600) { _ in false }.falseLosses
        }
        report.add(
            "\nFalse losses among 90 pairs in 10 minutes, in each of \(calm.count) runs: "
                + losses.map { "\($0.count)" }.joined(separator: ", ") + ".")
    }

    /// For each run the time of an event, nil if it did not happen, and the share of time on the air until then.
    /// - Parameter from: the time from which the last device counts; `time` gets it too.
    private func times(
        of plans: [RoomPlan], from begin: @Sendable (RoomPlan.Device) -> Double,
        _ time: @Sendable (RoomFindings, Double) -> Double?
    ) throws -> [(seconds: Double?, airShare: Double)] {
        try concurrently(plans.count, threadCount: options.threads) { index in
            let plan = plans[index]
            let start = plan.devices.last.map(begin) ?? 0
            let findings = try simulate(plan, untilSeconds: start + limit) { time($0, start) != nil }
            let seconds = time(findings, start)
            let spoken = findings.talkSeconds.reduce(0, +) / Double(plan.devices.count)
            return (seconds, spoken / (start + (seconds ?? limit)))
        }
    }

    private func simulate(
        _ plan: RoomPlan, untilSeconds end: Double, isOver: (RoomFindings) -> Bool
    ) throws -> RoomFindings {
        let profile = try options.namedProfile
        var plan = plan
        plan.limits.talkersPerSlot = together
        plan.leadSeconds = options.lead
        if let table = ears.table {
            var room = RoomSimulation(
                plan, ears: TableEars(timing: try options.timing, table: table, seed: plan.seed))
            room.run(untilSeconds: end, isOver: isOver)
            return room.findings
        }
        let air = Air.ofDiscovery(inRoom: ears == .modemRoom)
        var room = RoomSimulation(
            plan,
            ears: try ModemEars(
                plan, profile: profile, timing: try options.timing, air: air, snrDecibels: options.snr,
                sideMetres: 4))
        room.run(untilSeconds: end, isOver: isOver)
        return room.findings
    }

    private func text(_ times: [(seconds: Double?, airShare: Double)]) -> String {
        let sorted = times.map { $0.seconds ?? .infinity }.sorted()
        let share = times.map(\.airShare).reduce(0, +) / Double(times.count)
        func shown(_ seconds: Double) -> String { seconds.isFinite ? "\(decimal(seconds, 1)) s" : "never" }
        return
            "\(sorted.count) | \(shown(sorted[sorted.count / 2])) | \(shown(sorted[sorted.count * 9 / 10])) | \(shown(sorted[sorted.count - 1])) | \(percent(share))"
    }
}
