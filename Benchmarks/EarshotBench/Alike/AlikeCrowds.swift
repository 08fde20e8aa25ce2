import EarshotChannel
import EarshotLoopback
import EarshotModem

/// Compares four talkers with similar payloads with four talkers with random payloads, in the same air.
func measureAlikeCrowds(_ report: inout Report, tokenCount: Int, seed: UInt64) throws {
    guard let preset = AirPreset.named("crowd-4") else { preconditionFailure("no channel crowd-4") }
    let trialCount = max(1, tokenCount / preset.air.talkerLevelsDecibels.count)
    report.add(
        "\n**Four talkers**, `crowd-4`, 15 dB, \(4 * trialCount) frames a figure, alike ones in the same air as random ones; alike "
            + "payloads count up in their last byte. Decoded with its 95 % interval of the frames; "
            + "`alike --part crowds --tokens \(tokenCount)`.\n")
    report.add("| bytes | profile | random | alike | difference | wrong |\n|---|---|---|---|---|---|")
    for byteCount in [1, 2, 4, 8, 16, 32] {
        for profile in Profile.all {
            var scene = AirScene()
            (scene.profile, scene.air, scene.payloadByteCount) = (profile, preset.air, byteCount)
            let points = try [false, true].map { isAlike in
                scene.arePayloadsAlike = isAlike
                let simulation = try Simulation(order(of: scene, trialCount: trialCount, seed: seed))
                guard let point = simulation.point(snrDecibels: 15) else { preconditionFailure("cancelled") }
                return point
            }
            let difference = 100 * (points[1].decodedShare - points[0].decodedShare)
            let shares = points.map { point in
                "\(decimal(100 * point.decodedShare, 1)) % "
                    + "(\(decimal(100 * point.interval.low, 1))–\(decimal(100 * point.interval.high, 1)))"
            }
            report.add(
                "| \(byteCount) | `\(profile.name)` | \(shares.joined(separator: " | ")) | "
                    + "\(difference < 0 ? "−" : "+")\(decimal(abs(difference), 1)) | "
                    + "\(points[0].tally.wrongCount + points[1].tally.wrongCount) |")
        }
    }
}
