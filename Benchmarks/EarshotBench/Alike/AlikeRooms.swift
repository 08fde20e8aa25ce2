import EarshotChannel
import EarshotDiscovery
import EarshotModem
import EarshotTrials

/// Three devices with the real modem find each other, one leaves after a minute, and the others must lose it.
func measureAlikeRooms(_ report: inout Report, roomCount: Int, seed: UInt64) throws {
    report.add(
        "\n**Three devices, one is switched off after 60 s**, tokens 0…01, 0…02, 0…03 or random, \(roomCount) rooms each, `fast`, "
            + "at random places in a square of 4 m, 20 dB at 1 m, clocks ±100 ppm; `alike --part rooms --rooms \(roomCount)`. "
            + "Lost: seconds from the end of the leaver's last token until both others have reported it lost.\n")
    report.add(
        "| tokens | pairs found | all found, median | last | lost by both | median | last | false losses |\n"
            + "|---|---|---|---|---|---|---|---|")
    for isAlike in [false, true] {
        let rooms = try concurrently(roomCount) { try findings(seed: seed + UInt64($0), isAlike: isAlike) }
        let found = rooms.map { $0.seconds(share: 1) ?? .infinity }.sorted()
        let pairCount = rooms.reduce(0) { $0 + $1.foundSeconds.reduce(0) { $0 + $1.compactMap(\.self).count } }
        let lost = rooms.map { room in
            let seconds = room.lostSeconds[2][..<2].compactMap(\.self)
            return seconds.count == 2 ? (seconds.max() ?? 0) - room.lastTalkEndSeconds[2] : .infinity
        }.sorted()
        let cells = [
            isAlike ? "alike" : "random", "\(pairCount) of \(6 * roomCount)", shown(found[roomCount / 2]),
            shown(found[roomCount - 1]), "\(lost.count { $0.isFinite }) of \(roomCount)", shown(lost[roomCount / 2]),
            shown(lost[roomCount - 1]), "\(rooms.reduce(0) { $0 + $1.falseLosses.count })",
        ]
        report.add("| " + cells.joined(separator: " | ") + " |")
    }
}

private func findings(seed: UInt64, isAlike: Bool) throws -> RoomFindings {
    var plan = RoomPlan(
        [.init(), .init(arrivalSeconds: 0.5), .init(arrivalSeconds: 1, departureSeconds: 60)], seed: seed)
    plan.areTokensAlike = isAlike
    let air = Air.ofDiscovery(inRoom: false)
    var room = RoomSimulation(
        plan, ears: try ModemEars(plan, profile: .fast, air: air, snrDecibels: 20, sideMetres: 4))
    room.run(untilSeconds: 120) { $0.lostSeconds[2][..<2].allSatisfy { $0 != nil } }
    return room.findings
}

private func shown(_ seconds: Double) -> String {
    seconds.isFinite ? "\(decimal(seconds, 1)) s" : "never"
}
