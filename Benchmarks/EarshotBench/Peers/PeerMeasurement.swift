import EarshotChannel
import Foundation

/// Measures one modem after another.
struct PeerMeasurement {
    var trialCount: Int
    var seed: UInt64
    var threadCount: Int
    var runs: Int

    /// The rooms in the order of the tables. The third is the room of the first measurements.
    static let rooms: [(name: String, room: Room)] = [
        ("A", .a), ("B", .b), ("D", Room(reverberationSeconds: 0.3, directToReverberantDecibels: 0)),
    ]
    static let offsets = [0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01]
    /// The margin above the threshold, for motion and the tone.
    static let marginDecibels = 10.0
    static let toneDecibels = 10.0

    /// The parts: white noise, motion, tone, throughput, and the rooms.
    static let stageCount = 4 + rooms.count

    /// Rejects modems that do not decode a clear signal, so that a broken installation
    /// does not count as poor sensitivity.
    func check(_ modem: PeerModem) throws {
        let tally: PeerTally
        do {
            tally = try PeerTrials(modem, threadCount: threadCount, seed: seed)
                .run(AirCondition(snrDecibels: 50), trialCount: 6)
        } catch {
            throw PeerError("\(modem.name) does not run: \(error)")
        }
        guard tally.decoded == tally.sent else {
            throw PeerError(
                """
                \(modem.name) decoded \(tally.decoded) of \(tally.sent) tokens in clear air, so it does not work here \
                and cannot be measured; remove .build/peers and run Benchmarks/Peers/install.sh .build/peers
                """)
        }
    }

    /// - Parameters:
    ///   - noisePath: a recording of noise only, see `PeerCost`.
    ///   - folder: for recordings.
    ///   - stageDone: called after each of `stageCount` parts; a modem that never decodes 90 % has fewer.
    func measure(_ modem: PeerModem, noisePath: String, folder: URL, stageDone: () -> Void) throws -> PeerRow {
        let waveform = try PeerWaveform(try modem.open(), seed: seed)
        let trials = try PeerTrials(modem, threadCount: threadCount, seed: seed)
        var condition = AirCondition()
        func scan(step: Double, mostSteps: Int) throws -> SensitivityScan {
            try SensitivityScan(step: step, mostSteps: mostSteps, trialCount: trialCount) { snrDecibels, count in
                condition.snrDecibels = snrDecibels
                return try trials.run(condition, trialCount: count)
            }
        }
        let whiteNoise = try scan(step: 0.5, mostSteps: 12)
        stageDone()
        var rooms: [String: SensitivityScan] = [:]
        for (name, room) in Self.rooms {
            condition.room = room
            rooms[name] = try scan(step: 1, mostSteps: 3)
            stageDone()
        }
        var row = PeerRow(
            name: modem.name, setting: modem.setting, isChecked: modem.isChecked, waveform: waveform,
            whiteNoise: whiteNoise, rooms: rooms)
        if let threshold = whiteNoise.snrDecibels {
            condition = AirCondition(snrDecibels: threshold + Self.marginDecibels)
            for offset in Self.offsets {
                var tally = PeerTally()
                for direction in [-1.0, 1] {
                    condition.relativeOffset = direction * offset
                    tally += try trials.run(condition, trialCount: trialCount / 2)
                }
                row.motion.append(PeerRow.Motion(relativeOffset: offset, tally: tally))
                if tally.share < SensitivityScan.share { break }
            }
            stageDone()
            // Some modems report tokens from the tone all the time. Counting these would
            // hide how they work without a tone.
            row.total = trials.total
            condition.relativeOffset = 0
            condition.toneDecibels = Self.toneDecibels
            condition.toneBandHertz = waveform.bandHertz
            row.tone = try trials.run(condition, trialCount: trialCount)
            stageDone()
        }
        if row.tone == nil { row.total = trials.total }
        row.cost = try PeerCost(modem, noisePath: noisePath, folder: folder, runs: runs, seed: seed)
        stageDone()
        return row
    }
}
