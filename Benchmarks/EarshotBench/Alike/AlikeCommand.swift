import ArgumentParser

/// Measures whether similar payloads are received as well as random ones.
struct AlikeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alike",
        abstract: "Measure tokens that are alike, as people number their devices, beside random ones.",
        discussion: """
            Four tables: the tones that two payloads have in common, four talkers, three devices that find each other of \
            which one leaves, and what recognition claims that was not said.
            """)

    /// A part of the measurement.
    enum Part: String, ExpressibleByArgument, CaseIterable {
        case tones, crowds, rooms, recognition
    }

    @Option(help: "Pairs of payloads of each kind.")
    var pairs = 10_000

    @Option(help: "Tokens a row of four talkers.")
    var tokens = 1_000

    @Option(help: "Rooms of three devices, of each kind of token.")
    var rooms = 20

    @Option(help: "Hours of each kind of talkers, for recognition.")
    var hours = 0.5

    @Option(help: "Seed of the first trial.")
    var seed: UInt64 = 1_000_003

    @Option(help: "Measure this part only; may be given several times.")
    var part: [Part] = []

    func run() throws {
        var report = Report(title: "Alike tokens", command: "earshot-bench alike")
        try measure(&report)
    }

    /// Adds the tables of all parts, or only of those that `part` names.
    func measure(_ report: inout Report) throws {
        func isMeant(_ one: Part) -> Bool { part.isEmpty || part.contains(one) }
        report.add(
            "People number their devices. Alike payloads must be received like random ones; mixing (PROTOCOL §3) ensures this. "
                + "Seed \(seed).")
        if isMeant(.tones) { measureAlikeTones(&report, pairCount: pairs, seed: seed) }
        if isMeant(.crowds) { try measureAlikeCrowds(&report, tokenCount: tokens, seed: seed) }
        if isMeant(.rooms) { try measureAlikeRooms(&report, roomCount: rooms, seed: seed) }
        if isMeant(.recognition) { try measureAlikeRecognition(&report, hours: hours, seed: seed) }
    }
}
