import Foundation
import TestSupport
import Testing

/// A virtual sound card with a listener on it, and what it hears.
final class LiveSession: @unchecked Sendable {
    /// The level of the tokens: with music and speech as loud as they are everything fits.
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

    /// Starts to listen, and returns when the device is open.
    func listen(_ options: [String], isExpectedToStart: Bool = true) throws {
        listener = try card.start(Tool.url.path, ["listen", "--device", "air_in", "--json"] + options)
        guard isExpectedToStart else { return }
        guard listener.waitForError(within: 20, { $0.contains("listening to") }) else {
            throw SoundCard.Trouble(description: "it does not listen. \(listener.account)")
        }
        // The sound server's part of the stream.
        usleep(200_000)
    }

    func startBroadcast(
        profile: String, count: Int, payload: String = "0123456789abcdef", interval: Double
    ) throws -> Program {
        try card.start(
            Tool.url.path,
            [
                "broadcast", payload, "--device", "air_out", "--profile", profile, "--count", "\(count)",
                "--interval", "\(interval)", "--level", "\(Self.levelDecibels)", "--json",
            ])
    }

    /// Broadcasts, and returns when the last one has left.
    func broadcast(profile: String, count: Int, payload: String = "0123456789abcdef", interval: Double = 1) throws {
        let program = try startBroadcast(profile: profile, count: count, payload: payload, interval: interval)
        // Two frames' time each, and the patience that a busy machine needs.
        try program.finish(within: Double(count) * max(2 * interval, 5) + 30)
        sent += try Self.lines(program.output)
    }

    /// Waits until that many were heard.
    func waitForTokens(_ count: Int) throws {
        guard listener.waitForOutput(within: 15, { $0.split(separator: "\n").count >= count }) else {
            throw SoundCard.Trouble(description: "\(heard.count) of \(count) tokens heard. \(listener.account)")
        }
    }

    /// Listens a little longer, for what should not come, and ends.
    func end() throws {
        usleep(500_000)
        listener.signal(SIGTERM)
        guard listener.waitForEnd(within: 10) else {
            throw SoundCard.Trouble(description: "it does not end. \(listener.account)")
        }
    }

    /// Listens, broadcasts `count` tokens as densely as they fit, and ends.
    func exchange(profile: String, count: Int, listenOptions: [String] = [], expected: Int? = nil) throws {
        try listen(listenOptions)
        let frameSeconds: [String: Double] = ["fast": 0.512, "standard": 1.024, "far": 2.048]
        try broadcast(profile: profile, count: count, interval: (frameSeconds[profile] ?? 0) + 0.1)
        // Whether they came is the test's business.
        _ = listener.waitForOutput(within: 5) { $0.split(separator: "\n").count >= expected ?? count }
        try end()
    }

    /// Music and speech in the same sink, each as loud as a token of that peak.
    func playNoise(decibels: Double) throws -> [Program] {
        try SoundCardNoise.allCases.map { kind in
            let name = "\(kind.rawValue).wav"
            try kind.write(name, amplitude: Float(pow(10, decibels / 20)), using: card, in: scratch)
            // 20 s each.
            return try card.play(Array(repeating: name, count: 30))
        }
    }

    /// A process for each core that never rests.
    func occupyCores() throws -> [Program] {
        try (0..<ProcessInfo.processInfo.processorCount).map { _ in
            try card.start("bash", ["-c", "while :; do :; done"])
        }
    }

    /// Each token that was sent was heard once, when it was sent, and nothing else was.
    func expectAllHeardOnce(profile: String, count: Int) {
        let heard = heard
        #expect(sent.count == count)
        #expect(sent.allSatisfy { $0.underruns == 0 })
        #expect(heard.count == count, "\(listener.error)")
        #expect(heard.allSatisfy { $0.token == "0123456789abcdef" && $0.profile == profile })
        #expect(listener.status == 0)
        #expect(listener.error.contains("no gaps"), "\(listener.error)")
        guard heard.count == count else { return }
        // The sound server and its buffers take up to 0.3 s, and on a busy machine the same each time.
        let delays = zip(heard, sent).map { $0.start_s - $1.start_s }.sorted()
        let median = delays[delays.count / 2]
        #expect(delays.allSatisfy { abs($0 - median) < 0.3 })
        let latencies = heard.compactMap(\.latency_s).sorted()
        print(
            "\(profile): \(count) heard, latency median \(latencies[latencies.count / 2]) s, "
                + "largest \(latencies[latencies.count - 1]) s")
    }

    /// Between any two tokens as much time passed by the count of samples as by the clock.
    func expectTimesToAgree() {
        let format = ISO8601DateFormatter()
        format.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let offsets = heard.compactMap { line in
            line.time.flatMap { format.date(from: $0) }.map { $0.timeIntervalSince1970 - line.start_s }
        }
        #expect(offsets.count == heard.count)
        let spread = (offsets.max() ?? 0) - (offsets.min() ?? 0)
        // A new stream is delivered earlier or later than the old one by a period or two of 30 ms, and a stop is
        // noticed to within the clock's tolerance of 60 ms.
        #expect(spread < 0.12, "\(offsets)")
    }
}
