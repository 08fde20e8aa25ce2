/// An opened modem under measurement. Used by one thread at a time.
protocol Peer: AnyObject, Sendable {
    /// The sound of a token at 48 kHz, at any level.
    func encode(_ token: [UInt8]) throws -> [Float]

    /// Decodes a sound at 48 kHz with a new receiver.
    func decode(_ samples: [Float]) throws -> Reception
}

/// The output of a receiver for a sound.
enum Reception {
    /// Payloads, each checked by the modem.
    case payloads([[UInt8]])
    /// One stream of unchecked bytes.
    case stream([UInt8])

    /// The number of times `token` is in it, and the number of other payloads, or other bytes of a stream.
    func judged(by token: [UInt8]) -> (hitCount: Int, wrongCount: Int) {
        switch self {
        case .payloads(let payloads):
            let hitCount = payloads.count { $0 == token }
            return (hitCount, payloads.count - hitCount)
        case .stream(let bytes):
            let hitCount = bytes.occurrenceCount(of: token)
            return (hitCount, bytes.count - hitCount * token.count)
        }
    }
}

extension [UInt8] {
    /// The number of occurrences of `pattern`, without overlaps.
    func occurrenceCount(of pattern: [UInt8]) -> Int {
        var count = 0
        var start = 0
        while start + pattern.count <= self.count {
            if self[start..<start + pattern.count].elementsEqual(pattern) {
                count += 1
                start += pattern.count
            } else {
                start += 1
            }
        }
        return count
    }
}

/// A modem in one setting: how to open it and how to run it as a program.
struct PeerModem: Sendable {
    /// The name that the tables print.
    let name: String
    /// The settings that the tables print.
    let setting: String
    /// Whether the modem checks the payloads that it reports.
    let isChecked: Bool
    let open: @Sendable () throws -> any Peer
    /// The program that decodes a WAV file on one core.
    let decodeCommand: @Sendable (String) -> [String]
}

/// The reason why the peers could not be measured.
struct PeerError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
