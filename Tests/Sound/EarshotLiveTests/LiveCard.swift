import EarshotAudio
import EarshotCoding
import EarshotLive
import EarshotModem
import EarshotSystem
import Foundation
import Synchronization
import TestSupport
import Testing

/// A virtual sound card that this process listens to and broadcasts on.
final class LiveCard: Sendable {
    static let isSkipped = ProcessInfo.processInfo.environment["EARSHOT_SKIP_SOUND_CARD"] == "1"

    private let card: Mutex<SoundCard>
    let playbackName: String
    let captureName: String

    init() throws {
        let card = try SoundCard(in: Scratch())
        playbackName = card.playbackName
        captureName = card.captureName
        self.card = Mutex(card)
    }

    func listener(_ options: Listener.Options = Listener.Options()) throws -> Listener {
        try Listener(DeviceRequest(captureName), options: options)
    }

    func broadcaster() throws -> Broadcaster {
        try Broadcaster(DeviceRequest(playbackName, bufferSeconds: 0.25), profile: .fast)
    }

    /// The streams that the server plays or records, a line each.
    func streams() throws -> [String] {
        try card.withLock { card in
            try ["sink-inputs", "source-outputs"].flatMap { kind in
                let program = try card.run("pactl", ["list", "short", kind])
                try program.finish(within: 0)
                return program.output.split(separator: "\n").map { "\(kind) \($0)" }
            }
        }
    }

    /// Waits until nothing plays or records.
    func waitUntilClosed() throws {
        let deadline = MonotonicTime.nanoseconds + 20_000_000_000
        while case let streams = try streams(), !streams.isEmpty {
            guard MonotonicTime.nanoseconds < deadline else {
                throw SoundCard.Trouble(description: "still open: \(streams)")
            }
            usleep(50_000)
        }
    }
}

/// The resources of this process.
enum Holdings {
    static var descriptorCount: Int { count("/proc/self/fd") }
    static var threadCount: Int { count("/proc/self/task") }

    private static func count(_ path: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
    }

    /// Waits until a count is down to `limit`.
    static func wait(until limit: Int, _ count: () -> Int) -> Int {
        let deadline = MonotonicTime.nanoseconds + 20_000_000_000
        while count() > limit, MonotonicTime.nanoseconds < deadline { usleep(50_000) }
        return count()
    }
}
