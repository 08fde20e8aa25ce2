import Foundation
import TestSupport
import Testing

/// A virtual sound card with a listener on it, and the tokens that it hears.
final class LiveSession: @unchecked Sendable {
    /// The level of the tokens in dBFS: music and speech of the same loudness fit beside the tokens without clipping.
    static let levelDecibels = -18.0

    struct Line: Decodable {
        let token: String
        let profile: String
        let start_s: Double
        let end_s: Double
        let channel: Int
        let time: String?
        let latency_s: Double?
        let own: Bool!
    }

    struct Sent: Decodable {
        let start_s: Double
        let end_s: Double
        let time: String
        let underruns: Int
    }

    let scratch: Scratch
    let card: SoundCard
    private(set) var listener: Program!
    private(set) var sent: [Sent] = []

    init(_ cardOptions: [String] = []) throws {
        scratch = try Scratch()
        card = try SoundCard(in: scratch, cardOptions)
    }

    var heard: [Line] { (try? Self.lines(listener.output)) ?? [] }

    static func lines<Kind: Decodable>(_ text: String) throws -> [Kind] {
        try text.split(separator: "\n").map { try JSONDecoder().decode(Kind.self, from: Data($0.utf8)) }
    }

    /// Starts the listener, and returns when its device is open.
    func listen(_ options: [String], isExpectedToStart: Bool = true) throws {
        listener = try card.start(Tool.url.path, ["listen", "--device", card.capturePCM, "--json"] + options)
        guard isExpectedToStart else { return }
        guard listener.waitForError(within: 20, { $0.contains("listening to") }) else {
            throw SoundCard.Trouble(description: "the listener did not open its device. \(listener.account)")
        }
        // The time that the sound server takes to open its part of the stream.
        usleep(200_000)
    }

    func startBroadcast(
        profile: String, count: Int, payload: String = "0123456789abcdef", interval: Double, more: [String] = []
    ) throws -> Program {
        try card.start(
            Tool.url.path,
            [
                "broadcast", payload, "--device", card.playbackPCM, "--profile", profile, "--count", "\(count)",
                "--interval", "\(interval)", "--level", "\(Self.levelDecibels)", "--json",
            ] + more)
    }

    /// Broadcasts, and returns when the last token has left.
    func broadcast(profile: String, count: Int, payload: String = "0123456789abcdef", interval: Double = 1) throws {
        let program = try startBroadcast(profile: profile, count: count, payload: payload, interval: interval)
        // Two frames' time for each, and a margin for a busy machine.
        try program.finish(within: Double(count) * max(2 * interval, 5) + 30)
        sent += try Self.lines(program.output)
    }

    /// Waits until the listener has heard `count` tokens.
    func waitForTokens(_ count: Int) throws {
        guard listener.waitForOutput(within: 15, { $0.split(separator: "\n").count >= count }) else {
            throw SoundCard.Trouble(description: "\(heard.count) of \(count) tokens heard. \(listener.account)")
        }
    }

    /// Listens a little longer, for tokens that should not come, and ends the listener.
    func end() throws {
        usleep(500_000)
        listener.signal(SIGTERM)
        guard listener.waitForEnd(within: 10) else {
            throw SoundCard.Trouble(description: "the program does not end. \(listener.account)")
        }
    }

    /// Listens, broadcasts `count` tokens as densely as they fit, and ends.
    func exchange(profile: String, count: Int, listenOptions: [String] = [], expected: Int? = nil) throws {
        try listen(listenOptions)
        let frameSeconds: [String: Double] = ["fast": 0.5547, "standard": 1.1093, "far": 2.2187]
        try broadcast(profile: profile, count: count, interval: (frameSeconds[profile] ?? 0) + 0.1)
        // The test decides whether all tokens must have come.
        _ = listener.waitForOutput(within: 5) { $0.split(separator: "\n").count >= expected ?? count }
        try end()
    }

    /// Plays music and speech into the same sink, each as loud as a token with this peak.
    func playNoise(decibels: Double) throws -> [Program] {
        try SoundCardNoise.allCases.map { kind in
            let name = "\(kind.rawValue).wav"
            try kind.write(name, amplitude: Float(pow(10, decibels / 20)), using: card, in: scratch)
            // Each lasts 20 s.
            return try card.play(Array(repeating: name, count: 30))
        }
    }

    /// Starts, for each core, one process that never rests.
    func occupyCores() throws -> [Program] {
        try (0..<ProcessInfo.processInfo.processorCount).map { _ in
            try card.start("bash", ["-c", "while :; do :; done"])
        }
    }

    /// Expects that each token was heard once, at the time it was sent, and that nothing else was heard. A token may be
    /// missing only with a reported reason: a hole during playback, or a gap during recording, and only if three runs had one.
    /// - Parameter excusedShare: the maximum share of tokens that may be missing with such a reason. A shared machine
    ///   that stands still for half a second costs one or two.
    func expectAllHeardOnce(profile: String, count: Int, excusedShare: Double = 0.01) {
        let heard = heard
        #expect(sent.count == count)
        #expect(listener.status == 0)
        #expect(heard.allSatisfy { $0.token == "0123456789abcdef" && $0.profile == profile }, "a wrong token")
        guard !heard.isEmpty, sent.count == count else { return }

        // The two logs begin at different times; a token reaches the listener after a delay that stays constant.
        let delays = heard.flatMap { line in sent.map { line.start_s - $0.start_s } }
        let delay = delays.max { a, b in
            heard.count { isNear($0, a) } < heard.count { isNear($0, b) }
        }!
        var missing: [Int] = []
        var matched = 0
        for (index, frame) in sent.enumerated() {
            let found = heard.count { abs($0.start_s - frame.start_s - delay) < Self.toleranceSeconds }
            matched += found
            #expect(found <= 1, "token \(index + 1) was heard \(found) times")
            if found == 0 { missing.append(index) }
        }
        // A hole may delay its own token by more than the tolerance.
        let lateCount = missing.count { sent[$0].underruns > 0 }
        #expect(
            heard.count - matched <= lateCount, "\(heard.count - matched) tokens were heard that were not sent")
        for index in missing {
            #expect(isExcused(index, delay: delay), "token \(index + 1) is missing. \(listener.error)")
        }
        #expect(missing.count <= Int((excusedShare * Double(count)).rounded(.up)))

        let latencies = heard.compactMap(\.latency_s).sorted()
        let holes = sent.count { $0.underruns > 0 }
        print(
            "\(profile): \(matched) of \(count) heard, latency median \(latencies[latencies.count / 2]) s, 95 % "
                + "\(latencies[latencies.count * 95 / 100]) s, largest \(latencies[latencies.count - 1]) s, "
                + "\(holes) sent with a hole, \(gaps.count) gaps")
    }

    /// Less than half the minimum interval. A start may be found a symbol off, and holes delay the tokens after them.
    private static let toleranceSeconds = 0.25

    private func isNear(_ line: Line, _ delay: Double) -> Bool {
        sent.contains { abs(line.start_s - $0.start_s - delay) < Self.toleranceSeconds }
    }

    /// The gaps that the listener reported: "gap of 0.182 s at 63.913 s: …".
    private var gaps: [(start: Double, end: Double)] {
        listener.error.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("gap of ") else { return nil }
            let numbers = line.split(separator: " ").compactMap { Double($0) }
            return numbers.count == 2 ? (numbers[1], numbers[1] + numbers[0]) : nil
        }
    }

    /// The reports come late: holes by a tenth of a second, so perhaps with the next token, and gaps by up to a second.
    private func isExcused(_ index: Int, delay: Double) -> Bool {
        if sent[max(0, index - 1)...min(index + 1, sent.count - 1)].contains(where: { $0.underruns > 0 }) {
            return true
        }
        let (start, end) = (sent[index].start_s + delay, sent[index].end_s + delay)
        return gaps.contains { $0.start < end + 1 && $0.end > start - 1 }
    }

    /// Between any two tokens the sample count and the clock measure the same time.
    func expectTimesToAgree() {
        let format = ISO8601DateFormatter()
        format.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let offsets = heard.compactMap { line in
            line.time.flatMap { format.date(from: $0) }.map { $0.timeIntervalSince1970 - line.start_s }
        }
        #expect(offsets.count == heard.count)
        let spread = (offsets.max() ?? 0) - (offsets.min() ?? 0)
        // A new stream arrives earlier or later than the old one by one or two periods of 40 ms, and a stop is noticed
        // to within the clock's tolerance of 80 ms.
        #expect(spread < 0.16, "\(offsets)")
    }
}
